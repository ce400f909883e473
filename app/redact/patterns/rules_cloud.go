package patterns

// cloudRules find keys of clouds and hosts.
func cloudRules() []Rule {
	return []Rule{
		{
			Name: "aws-access-key", About: "AWS access key ids, long-lived and temporary",
			Keywords: []string{"AKIA", "ASIA", "ABIA", "ACCA"}, Regexp: `A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}\b`,
			Entropy: 3,
			Found:   []string{"aws_access_key_id = «AKIA⟨c16⟩»", `"AccessKeyId":"«ASIA⟨c16⟩»"`},
			Ignored: []string{"AKIAIOSFODNN7EXAMPLE", "AKIA⟨c20⟩", "XAKIA⟨c16⟩", "ASIAN MARKETS CLOSED HIGHER"},
		},
		{
			Name: "aws-secret-key", About: "AWS secret access keys beside their name",
			Keywords: []string{"secret_access_key", "secretaccesskey", "aws_secret_key", "secret access key"},
			Fold:     true, Inside: true,
			Regexp: `(?:secret_access_key|secretaccesskey|aws_secret_key` +
				`|secret access key)\\?["']?\]?[ \t]{0,8}[=:>][ \t]{0,8}\\?["']?([A-Za-z0-9/+]{40})\b`, Entropy: 3.5,
			Found: []string{"AWS_SECRET_ACCESS_KEY=«⟨b40⟩»", `{"SecretAccessKey": "«⟨b40⟩»"}`,
				"<SecretAccessKey>«⟨b40⟩»</SecretAccessKey>"},
			Ignored: []string{"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
				"aws_secret_access_key = ${AWS_SECRET}"},
		},
		{
			Name: "aws-session-token", About: "AWS session tokens",
			Keywords: []string{"IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"}, Reach: 4 << 10,
			Regexp:  `(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/%]{80,}={0,2}`,
			Found:   []string{`"SessionToken": "«IQoJb3JpZ2lu⟨b300⟩==»"`},
			Ignored: []string{"it begins with IQoJb3JpZ2lu"},
		},
		{
			Name: "azure-storage-key", About: "keys of Azure storage, service bus and Cosmos DB in connection strings",
			Keywords: []string{"AccountKey=", "SharedAccessKey="},
			Regexp:   `(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{42,}={1,2})`, Inside: true,
			Found: []string{"DefaultEndpointsProtocol=https;AccountName=a;AccountKey=«⟨b86⟩==»;EndpointSuffix=core.windows.net",
				"Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=«⟨b43⟩=»"},
			Ignored: []string{"AccountKey=<key>;", "SharedAccessKeyName=RootManageSharedAccessKey"},
		},
		{
			Name: "azure-sas", About: "signatures of Azure shared access URLs",
			Keywords: []string{"sig="}, Regexp: `sig=([A-Za-z0-9+/%]{43,}(?:=|%3[Dd])?)`, Entropy: 3.5,
			Found:   []string{"?sv=2024-11-04&se=2026-01-01&sr=b&sp=r&sig=«⟨w20⟩%2B⟨w22⟩%3D»", "&sig=«⟨b43⟩=»"},
			Ignored: []string{"sig=abc", "config=⟨b43⟩="},
		},
		{
			Name: "azure-client-secret", About: "client secrets of Entra ID applications",
			Keywords: []string{"Q~"}, Back: 4, Regexp: `[A-Za-z0-9_.~-]{3}[0-9]Q~[A-Za-z0-9_.~-]{31,34}`, Entropy: 3.5,
			Found:   []string{"client secret «⟨w3⟩8Q~⟨w34⟩» until 2027"},
			Ignored: []string{"Q~1", "the values of Q~ and R~ are similar to each other in most of them"},
		},
		{
			Name: "google-api-key", About: "Google API keys",
			Keywords: []string{"AIza"}, Regexp: `AIza[A-Za-z0-9_-]{35}`, Entropy: 3,
			Found:   []string{"?key=«AIza⟨s35⟩»&q=x"},
			Ignored: []string{"AIza...", "AIza⟨s20⟩"},
		},
		{
			Name: "google-oauth", About: "Google OAuth access tokens, refresh tokens and client secrets",
			Keywords: []string{"ya29.", "GOCSPX-", "1//0"},
			Regexp:   `(?:ya29\.[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{28}|1//0[A-Za-z0-9_-]{40,})`, Entropy: 3.5,
			Found:   []string{"access «ya29.⟨s120⟩»", "client_secret: «GOCSPX-⟨s28⟩»", "\"«1//0⟨s60⟩»\""},
			Ignored: []string{"ya29.short", "1//0 is no division", "GOCSPX-"},
		},
		{
			Name: "digitalocean", About: "DigitalOcean tokens",
			Keywords: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, Regexp: `do[opr]_v1_[a-f0-9]{64}`,
			Found:   []string{"export T=«dop_v1_⟨h64⟩»"},
			Ignored: []string{"dop_v1_⟨h32⟩"},
		},
		{
			Name: "databricks", About: "Databricks access tokens",
			Keywords: []string{"dapi"}, Regexp: `dapi[a-f0-9]{32}(?:-[0-9])?\b`,
			Found:   []string{"token=«dapi⟨h32⟩»", "«dapi⟨h32⟩-2»"},
			Ignored: []string{"dapi⟨h12⟩", "xdapi⟨h32⟩"},
		},
		{
			Name: "cloudflare", About: "Cloudflare origin CA keys",
			Keywords: []string{"v1.0-"}, Regexp: `v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`,
			Found:   []string{"«v1.0-⟨h24⟩-⟨h146⟩»"},
			Ignored: []string{"v1.0-rc1", "v1.0-⟨h24⟩"},
		},
		{
			Name: "fly", About: "Fly.io tokens",
			Keywords: []string{"fm1r_", "fm2_", "fm1a_", "fo1_"}, Reach: 4 << 10,
			Regexp:  `(?:fm1r_|fm1a_|fm2_)[A-Za-z0-9+/=,_]{80,}|fo1_[A-Za-z0-9_-]{43}`,
			Found:   []string{"FlyV1 «fm2_⟨b200⟩==»", "«fo1_⟨s43⟩»"},
			Ignored: []string{"fm2_radio = 98.5", "fo1_"},
		},
		{
			Name: "heroku", About: "Heroku API keys",
			Keywords: []string{"HRKU-"}, Regexp: `HRKU-[A-Za-z0-9_-]{36,}`,
			Found:   []string{"«HRKU-⟨h8⟩-⟨h4⟩-⟨h4⟩-⟨h4⟩-⟨h12⟩»"},
			Ignored: []string{"HRKU-123"},
		},
		{
			Name: "tailscale", About: "Tailscale keys",
			Keywords: []string{"tskey-"}, Regexp: `tskey-[a-z]{2,12}-[A-Za-z0-9]{8,24}(?:-[A-Za-z0-9]{20,48})?`,
			Entropy: 3,
			Found:   []string{"--authkey «tskey-auth-⟨w17⟩-⟨w32⟩»"},
			Ignored: []string{"tskey-auth-"},
		},
	}
}
