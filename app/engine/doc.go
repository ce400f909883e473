// Package engine claims executions from the store, owns the pool of boxes, and drives each session from start to verdict.
//
// The executions table is the queue: Submit writes a row, one dispatcher claims one as soon as a run slot is free, and
// nothing about a waiting execution is kept anywhere else. Profiles take turns, so that one with a thousand waiting executions doesn't make another wait for them. What runs is known in memory, by handle, from its claim until its row is terminal.
//
// If nothing waits and a slot is free, Submit claims with the commit that stores the row: see atOnce. It would be the next claim in any case. If a box waits too, and nothing has
// to be read from Vault, that commit also binds it.
//
// # One execution
//
// An execution is bound when it is dispatched, not when it was submitted: the profile is checked again, and the newest policy version, the
// current values and a box come together at that moment and are recorded before the script is sent. So a person who takes a host or a value away
// is obeyed by what still waits in the queue. A box that dies before its script was sent is replaced; a script is never sent twice.
//
// Everything that ends an execution early (timeout, cancel, revocation, flood, shutdown) is the cause with which its context is cancelled, so
// the first one counts. The row becomes terminal in one transaction with output, ledger and counters: after the backend has said that nothing of the box is left, or before,
// if the end is certain then.
//
// # Certain before the box is gone
//
// When airlock-init has told the end of a script, it has ended and waited for every other process of the box. So what the kernel has counted is final for
// the script, and a backend that is a plugins.Meter reads it then. If the script ended by itself, without a signal, and no limit had a part in it, nothing that the box does any more can
// change the verdict: the end is stored at once. Where all run slots are taken the box is taken down beside that; where one is free just after it, since taking a box
// down keeps both of two processors busy, and whoever waits for the end would wait for that too: 50 ms later at the most, so that an end that can't be stored keeps no box. The execution keeps its run slot until the box is gone and what came out of it
// has been looked through, since both take processor time and memory, and Close waits for it.
// All other ends wait for the box, as do those in backends that don't measure. The script can't pretend: it would have to speak for PID 1, whose memory and descriptors are
// closed to it. From a PID 1 that lies it gains at most twice exitGrace without stdio and without any way out, as nothing is relayed after the end that was told.
//
// # Stopping and crashing
//
// Drain lets what runs come to its end; Close ends the rest, as interrupted. After a crash the next Start gives an end to what was claimed. Whether the script had been sent
// is known from the record of its start, which is committed before: an execution without one has certainly done nothing, and its end says so.
// Where it comes with the commit that stores the row, a crash in the moment before the script is sent, or for as long as another box has to be waited for, is told as one during the run.
//
// Three things about an execution must be on the disk before something else happens. Its row, before the 202: what was accepted waits, or gets an end.
// The record of its start, before the script is sent: else the next server could take it for one that has done nothing; where a slot and a box wait it comes with the row.
// Its end, before anybody is told. The claim in between needs no commit of its own: it says no more than that a server took the row. If that server dies before the start is recorded, the next one
// says that nothing ran, as it would for a claim from the queue. Nor can it run twice: a claimed row is never claimed again, and no server but the one in its
// claim runs it.
//
// # Backends
//
// Each configured backend is a candidate that takes a proof, by its Check; survey and Prove have proofs taken, settle decides who is in use. All that pass are,
// or with Auto the strongest. The first in use is the default, and only its default image's pool keeps boxes ready: others would hold memory for
// executions that may never come. A profile's placement is obeyed or the execution ends in error; there is no second best. A backend whose boxes
// don't open any more is proved again at once, and has to rest if it passes that time and again without opening one. What is not in use for want of a proof is tried
// again now and then, with Auto too as long as it would be chosen over what is in use; what runs by then goes on in its boxes.
//
// An execution that finds no box ready keeps its run slot while one opens, since that takes the processor. After coldPatience it gives the slot away, and gets one
// again before any that has not begun once its box is there. So a host that doesn't answer costs the others nothing. Once as many wait like that for one kind of box as
// there are slots, no more are claimed for it.
//
// # Re-runs
//
// A re-run gets recorded answers, each only to the very question (prompt and model, by keyed hash) that it was given to, in whatever order a script's threads
// ask. They become exchanges of the re-run too, so that it can be repeated itself. The policy is the one in force: what a person took away stays away.
//
// # Waiting for the LLM
//
// While a question is open the run clock is held, the box is frozen and the run slot is given away; a separate cap bounds how many wait. If a box
// can't be frozen it keeps its slot and its clock runs on: a script must not compute for free. A script has one open question at a time;
// further ones, from other threads, wait for their turn. The script gets the exact answer, the record keeps the redacted one.
//
// # Sealed credentials
//
// A script gets the placeholder of a sealed value; the value itself goes to egress, which puts it into requests, and to the redactor, which
// looks for it in whatever comes back all the same. Nothing else in this package sees it.
//
// What an execution's hosts may show of credentials that it doesn't have is masked together with its own values, once the script has tried
// to reach anything (see redactor): in output, live and kept, questions, errors, names of hosts and the ledger.
//
// # Decisions while it runs
//
// What a person takes away (a profile's host; a credential's host, place, header or plain HTTP) is taken from what runs at once: the hub tells of changes
// in this process, the database's version of those by others, and review obeys. What is added is for later executions. An injected value
// can't be taken back from a script that has it.
//
// A refusal that a person could turn into a permission becomes a request on the profile's page while the script runs, each place once per execution and
// access.MaxRequestsOfExecution in all. The script's line in it is what the guest says (see guest.Handler.Asked), to help the person, no more. The
// box itself refuses some places without a word to Airlock: then the guest's word makes the ledger row, too, which a script could also have had by trying.
package engine
