package admin

// Usage is the help of airlock admin and of each of its commands.
const Usage = `Usage: airlock admin COMMAND

  token                                       make a new admin token, to add a person or set a new password;
                                              every login ends
  user list                                   who may log in
  user role NAME owner|operator|viewer        what somebody may do; one owner always stays
  user remove-passkeys NAME                   for a lost device: remove a person's passkeys and end their sessions
  credential set NAME [flags] < VALUE         create or change a credential
      --host HOST (repeatable)                where the value may go; a new credential with hosts is sealed
      --mode sealed|injected|plain            sealed: scripts get a placeholder; injected: scripts get the value itself
                                              (clients that sign, databases); plain: it is not secret and not masked
      --yes                                   a mode that gives away more to profiles with keys linked to it; --vault
                                              in place of the value that Airlock holds; a plain value that moves
                                              locked profiles to another host
      --place path|query|body (repeatable)    put a sealed value in here, besides headers; --place header: only there
      --header NAME (repeatable)              a header it may stand in, such as --header X-Acme-Key or Cookie, in place
                                              of the usual ones; --header "": the usual ones again
      --plain-http                            a sealed value may go over unencrypted HTTP; =false takes that back
      --description TEXT
      --no-value                              don't read a value from stdin
      --vault PATH#FIELD                      read the value from Vault each time, as secret/data/oracle#password
      --local                                 the value is kept in Airlock again, from stdin
  credential list                             their modes, hosts and profiles, never a value
  credential show NAME [--headers]            what is set besides the value; --headers lists the usual headers
  credential delete NAME [--yes]              delete it; revoke it at its service first. --yes: though answers and
                                              output are no longer searched for its value
  credential test NAME [flags]                try a sealed credential at its host; fails unless that proves it
      --host HOST[:PORT]  --path /PATH  --private
      --header NAME                           send it in this header, instead of as Authorization: Bearer
      --basic USER                            send it as this user's password; "" if it is the user name
  profile create [--description TEXT]         prints the profile id (ark_…)
      --key NAME[=CREDENTIAL] (repeatable)  --host HOST  --private-host HOST (repeatable)
      --backend NAME  --min-tier full|restricted  --image NAME  --fresh    where its scripts may run
  profile list                                their handles, states, keys and runs
  profile show ID                             its id for the agent, and what it asks for and grants
  profile lock ID                             link each key to the credential of its name, or as --key says, and lock
      --key NAME[=CREDENTIAL]  --host HOST  --private-host HOST (repeatable)  --expires TIME
      --yes                                   at a terminal: don't show what it grants and ask first
  profile hosts ID [flags]                    print what it grants. Flags change it, also when it is locked: removing
                                              counts at once, allowing from the next execution on
      --allow HOST (repeatable)               allow one host: api.example.com (ports 80 and 443), db.example.com:5432
                                              or '*.example.com'
      --allow-private HOST (repeatable)       the same, and allow private network addresses
      --remove HOST (repeatable)              take one host away, or dismiss the agent's request for it
      --yes                                   at a terminal: don't show what --allow grants and ask first
  profile place ID [--backend NAME] [--min-tier full|restricted] [--image NAME] [--fresh]
                                              where its scripts may run; without flags anywhere. --fresh: in no box
                                              that was forked from a template
  profile may-run ID any|approved_scripts|approved_skills
                                              which code it may run; holds at once for what has not started
  profile expire ID TIME                      set its end: 2026-12-31, 2026-12-31T18:00:00Z, 30d, 12h or never
  profile revoke ID                           end its executions and refuse new ones
  profile delete ID                           delete it; its past executions stay
  skill list                                  versions of skills, with what they ask for and their digests
  skill show DIGEST                           print all files of a version
  skill approve DIGEST                        let agents run exactly these files
  skill revoke NAME@NUMBER [--reason TEXT]    end the use of a version, or reject one that waits for review
  skill allow NAME ID [--undo]                let a profile run a skill
  skill switch NAME on|off                    switch a skill as a whole
  skill delete NAME                           remove a skill and its files; the audit log keeps what was decided
  approval list                               scripts that wait for a person, and those that were approved or refused
  approval show ID                            the script
  approval approve ID --once|--always         let exactly this script run, in one execution or always
  approval refuse ID --reason TEXT            what waits ends; the agent reads the reason
  approval revoke ID                          forget the decision: the script asks again
  audit list                                  the newest 100 entries
  audit verify [--noted NUMBER:HASH]          walk the hash chain, and find in it what an earlier one printed
  audit archived [--of LABEL]                 the audit logs that came with imports, or all of one of them
  export FILE                                 write everything into a file sealed with a passphrase; - is standard
                                              output
      --profile ID (repeatable)               only these profiles, with the credentials they refer to
      --no-history                            without executions
      --artifacts                             with the contents of the files that they left
      --passphrase-file FILE                  else the passphrase is asked for, or one line of standard input
  import FILE                                 add what is new in a file; prints first what it finds
      --preview                               change nothing
      --yes ITEM  --no ITEM (repeatable)      decide one, such as profile:k3v5… or credential:STRIPE_KEY;
                                              what differs from what is here is taken only with --yes
      --no-history  --max-size SIZE
      --passphrase-file FILE                  else the passphrase is asked for, or one line of standard input
  restore FILE [--replace] [--max-size SIZE]  make the database from an export, a backup or a restore point; the
                                              server must be stopped
      --passphrase-file FILE                  else the passphrase is asked for, or one line of standard input
  key rotate                                  make a new instance key and seal everything anew; the server must be
                                              stopped. After an interruption, run it again
  vacuum                                      write the database anew, without what is empty, and give the disk the
                                              rest back; the server must be stopped
  retire [--undo]                             execute nothing any more, after a move to another host

Works on the data directory (AIRLOCK_DATA_DIR), also beside a running server. ID is a handle, as profile list shows
it, or an ark_ id; arguments can be read by other users of this host, so prefer the handle. A value is read from stdin
to its end; one line break at the end is not part of it.
`
