package patterns

// codeRules find keys of forges, package registries and tools of developers.
func codeRules() []Rule {
	return []Rule{
		{
			Name: "github", About: "GitHub tokens: personal, OAuth, user, server, refresh, fine-grained",
			Keywords: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
			Regexp:   `(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})`, Entropy: 3,
			Found: []string{"https://x:«ghp_⟨w36⟩»@github.com/a/b", "GH=«ghs_⟨w36⟩»", "«github_pat_⟨w22⟩_⟨w59⟩»",
				"«ghr_⟨w76⟩»"},
			Ignored: []string{"ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "ghp_⟨w20⟩", "xghp_⟨w36⟩", "github_pat_name"},
		},
		{
			Name: "gitlab", About: "GitLab tokens of every kind",
			Keywords: []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-", "gloas-",
				"glimt-", "glffct-"},
			Regexp: `gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt|ffct)-[A-Za-z0-9_.-]{20,}`, Entropy: 3,
			Found:   []string{"PRIVATE-TOKEN: «glpat-⟨s20⟩»", "«glrt-t1_⟨s20⟩»", "«gloas-⟨h64⟩»"},
			Ignored: []string{"glpat-xxxxxxxxxxxxxxxxxxxx", "glpat-⟨s8⟩"},
		},
		{
			Name: "npm", About: "npm tokens",
			Keywords: []string{"npm_"}, Regexp: `npm_[A-Za-z0-9]{36,}`, Entropy: 3,
			Found:   []string{"//npm.example.com/:_authToken=«npm_⟨w36⟩»"},
			Ignored: []string{"npm_config_registry", "npm_lifecycle_event_name_is_very_long_indeed"},
		},
		{
			Name: "pypi", About: "PyPI tokens",
			Keywords: []string{"pypi-AgE"}, Regexp: `pypi-AgE[A-Za-z0-9_-]{50,}`,
			Found:   []string{"password = «pypi-AgEIcHlwaS5vcmc⟨s120⟩»"},
			Ignored: []string{"pypi-AgE", "pypi-simple-1.6.0"},
		},
		{
			Name: "rubygems", About: "RubyGems keys",
			Keywords: []string{"rubygems_"}, Regexp: `rubygems_[a-f0-9]{48}`,
			Found:   []string{":rubygems_api_key: «rubygems_⟨h48⟩»"},
			Ignored: []string{"rubygems_version: 3.5.3"},
		},
		{
			Name: "docker", About: "Docker Hub tokens",
			Keywords: []string{"dckr_pat_", "dckr_oat_"}, Regexp: `dckr_[po]at_[A-Za-z0-9_-]{27,32}`,
			Found:   []string{"docker login -p «dckr_pat_⟨s27⟩»"},
			Ignored: []string{"dckr_pat_short"},
		},
		{
			Name: "vault", About: "HashiCorp Vault tokens",
			Keywords: []string{"hvs.", "hvb.", "hvr."}, Regexp: `hv[sbr]\.[A-Za-z0-9_-]{24,}`, Entropy: 3,
			Found:   []string{"X-Vault-Token: «hvs.⟨s24⟩»", "«hvb.⟨s140⟩»"},
			Ignored: []string{"hvs.example.com", "the files .hvs. and .hvb."},
		},
		{
			Name: "terraform", About: "HCP Terraform tokens",
			Keywords: []string{".atlasv1."}, Back: 14, Inside: true,
			Regexp:  `[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}`,
			Found:   []string{`token = "«⟨w14⟩.atlasv1.⟨s67⟩»"`},
			Ignored: []string{"x.atlasv1.short"},
		},
		{
			Name: "pulumi", About: "Pulumi tokens",
			Keywords: []string{"pul-"}, Regexp: `pul-[a-f0-9]{40}\b`,
			Found:   []string{"PULUMI_ACCESS_TOKEN=«pul-⟨h40⟩»"},
			Ignored: []string{"pul-⟨h8⟩", "im-pul-se"},
		},
		{
			Name: "doppler", About: "Doppler tokens",
			Keywords: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."},
			Regexp:   `dp\.(?:pt|ct|sa|scim|audit|st)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`,
			Found:    []string{"«dp.pt.⟨w43⟩»", "«dp.st.dev.⟨w43⟩»"},
			Ignored:  []string{"dp.st.mean()"},
		},
		{
			Name: "grafana", About: "Grafana cloud tokens and service accounts",
			Keywords: []string{"glc_", "glsa_"},
			Regexp:   `glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}`, Entropy: 3,
			Found:   []string{"«glsa_⟨w32⟩_⟨h8⟩»", "«glc_⟨b80⟩==»"},
			Ignored: []string{"glc_mean", "glsa_result_of_the_first_measurement"},
		},
		{
			Name: "sentry", About: "Sentry tokens",
			Keywords: []string{"sntrys_", "sntryu_"}, Regexp: `sntrys_[A-Za-z0-9+/=_-]{60,}|sntryu_[a-f0-9]{64}`,
			Found:   []string{"«sntryu_⟨h64⟩»", "«sntrys_⟨s180⟩»"},
			Ignored: []string{"sntryu_⟨h10⟩"},
		},
		{
			Name: "new-relic", About: "New Relic keys",
			Keywords: []string{"NRAK-", "NRII-", "NRJS-"},
			Regexp:   `NR(?:AK-[A-Z0-9]{27}|II-[A-Za-z0-9-]{32}|JS-[a-f0-9]{19})`,
			Found:    []string{"Api-Key: «NRAK-⟨u27⟩»"},
			Ignored:  []string{"NRAK-12"},
		},
		{
			Name: "postman", About: "Postman keys",
			Keywords: []string{"PMAK-"}, Regexp: `PMAK-[a-f0-9]{24}-[a-f0-9]{34}`,
			Found:   []string{"X-Api-Key: «PMAK-⟨h24⟩-⟨h34⟩»"},
			Ignored: []string{"PMAK-⟨h24⟩"},
		},
	}
}
