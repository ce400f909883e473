package patterns

// serviceRules find keys of hosted services.
func serviceRules() []Rule {
	return []Rule{
		{
			Name: "anthropic", About: "Anthropic keys",
			Keywords: []string{"sk-ant-"}, Regexp: `sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{24,}`, Entropy: 3,
			Found:   []string{"x-api-key: «sk-ant-api03-⟨s93⟩AA»", "«sk-ant-oat01-⟨s93⟩AA»"},
			Ignored: []string{"sk-ant-...", "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		},
		{
			Name: "openai", About: "OpenAI keys, and those of others who use their shape",
			Keywords: []string{"sk-"},
			Regexp: `sk-(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{32,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}` +
				`|[A-Za-z0-9]{32,}\b)`, Entropy: 3.5,
			Found: []string{"OPENAI_API_KEY=«sk-proj-⟨s74⟩T3BlbkFJ⟨s74⟩»", "«sk-⟨w20⟩T3BlbkFJ⟨w20⟩»", "«sk-⟨w48⟩»"},
			Ignored: []string{"sk-learn", "task-⟨w48⟩", "risk-management-framework-for-international-companies",
				"sk-your-key-here"},
		},
		{
			Name: "ai-services", About: "keys of Groq, xAI, Replicate, Perplexity, Fireworks, LangSmith",
			Keywords: []string{"gsk_", "xai-", "r8_", "pplx-", "fw_", "lsv2_"},
			Regexp: `gsk_[A-Za-z0-9]{48,56}|xai-[A-Za-z0-9]{70,}|r8_[A-Za-z0-9]{37,40}|pplx-[A-Za-z0-9]{40,56}` +
				`|fw_[A-Za-z0-9]{22,24}\b|lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}`, Entropy: 3.5,
			Found:   []string{"«gsk_⟨w52⟩»", "«xai-⟨w80⟩»", "«r8_⟨w37⟩»", "«pplx-⟨w48⟩»", "«lsv2_pt_⟨h32⟩_⟨h10⟩»"},
			Ignored: []string{"xai-tools", "fw_version_number", "r8_⟨w10⟩"},
		},
		{
			Name: "hugging-face", About: "Hugging Face tokens",
			Keywords: []string{"hf_", "api_org_"}, Regexp: `(?:hf_|api_org_)[A-Za-z]{34,40}\b`, Entropy: 3.5,
			Found:   []string{"HF_TOKEN=«hf_⟨a34⟩»"},
			Ignored: []string{"hf_hub_download", "hf_⟨a12⟩", "shelf_⟨a34⟩"},
		},
		{
			Name: "slack", About: "Slack tokens",
			Keywords: []string{"xoxb-", "xoxa-", "xoxp-", "xoxe-", "xoxe.", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-",
				"xapp-"},
			Regexp: `(?:xox[abcdeoprs]-|xoxe\.xox[bp]-|xapp-)[A-Za-z0-9%+/-]{20,}`, Entropy: 3,
			Found:   []string{"«xoxb-⟨d12⟩-⟨d13⟩-⟨w24⟩»", "«xapp-1-A⟨u10⟩-⟨d13⟩-⟨h64⟩»", "«xoxe.xoxp-1-⟨w160⟩»"},
			Ignored: []string{"xoxb-", "xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx-xxxx", "xoxo-love"},
		},
		{
			Name: "webhook", About: "webhook URLs of Slack, Discord and Teams, which are keys themselves",
			Keywords: []string{"hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
				".webhook.office.com/webhookb2/"}, Inside: true,
			Regexp: `hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})` +
				`|discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_-]{60,})` +
				`|\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})`,
			Found: []string{"https://hooks.slack.com/services/«T⟨u10⟩/B⟨u10⟩/⟨w24⟩»",
				"https://discord.com/api/webhooks/⟨d18⟩/«⟨s68⟩»",
				"https://acme.webhook.office.com/webhookb2/«⟨h8⟩-⟨h4⟩-⟨h4⟩-⟨h4⟩-⟨h12⟩@⟨h8⟩-⟨h4⟩-⟨h4⟩-⟨h4⟩-⟨h12⟩/IncomingWebhook/⟨h32⟩»"},
			Ignored: []string{"see https://hooks.slack.com/services/T000/B000",
				"https://discord.com/api/webhooks/123/abc"},
		},
		{
			Name: "stripe", About: "Stripe keys, live and test, and webhook secrets",
			Keywords: []string{"sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"},
			Regexp:   `(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{24,})`, Entropy: 2.5,
			Found:   []string{"stripe.api_key = '«sk_live_⟨w24⟩»'", "«rk_test_⟨w99⟩»", "«whsec_⟨w32⟩»"},
			Ignored: []string{"pk_live_⟨w24⟩", "sk_live_", "sk_live_xxxxxxxxxxxxxxxx"},
		},
		{
			Name: "square", About: "Square tokens and secrets",
			Keywords: []string{"sq0atp-", "sq0csp-", "EAAA"},
			Regexp:   `sq0atp-[A-Za-z0-9_-]{22,}|sq0csp-[A-Za-z0-9_-]{43,60}|EAAA[A-Za-z0-9_-]{60}\b`, Entropy: 3.5,
			Found:   []string{"«sq0atp-⟨s22⟩»", "«sq0csp-⟨s43⟩»", "«EAAA⟨w60⟩»"},
			Ignored: []string{"sq0atp-", "EAAA⟨w20⟩", "sq0idp-⟨s22⟩"},
		},
		{
			Name: "shopify", About: "Shopify tokens and secrets",
			Keywords: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, Regexp: `shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`,
			Found:   []string{"X-Shopify-Access-Token: «shpat_⟨h32⟩»"},
			Ignored: []string{"shpat_⟨h16⟩"},
		},
		{
			Name: "twilio", About: "Twilio API keys",
			Keywords: []string{"SK"}, Regexp: `SK[0-9a-f]{32}\b`,
			Found:   []string{"twilio «SK⟨h32⟩»"},
			Ignored: []string{"SK⟨h20⟩", "AC⟨h32⟩", "TASK⟨h32⟩"},
		},
		{
			Name: "sendgrid", About: "SendGrid keys",
			Keywords: []string{"SG."}, Regexp: `SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}`,
			Found:   []string{"«SG.⟨s22⟩.⟨s43⟩»"},
			Ignored: []string{"SG.com", "MSG.⟨s22⟩.⟨s43⟩"},
		},
		{
			Name: "mail", About: "keys of Mailgun, Brevo, Resend",
			Keywords: []string{"key-", "xkeysib-", "xsmtpsib-", "re_"},
			Regexp:   `key-[a-f0-9]{32}\b|x(?:keys|smtps)ib-[a-f0-9]{64}-[A-Za-z0-9]{16}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b`,
			Entropy:  3,
			Found:    []string{"api «key-⟨h32⟩»", "«xkeysib-⟨h64⟩-⟨w16⟩»", "«re_⟨w8⟩_⟨w24⟩»"},
			Ignored:  []string{"key-value", "monkey-⟨h32⟩", "re_compile"},
		},
		{
			Name: "mailchimp", About: "Mailchimp keys",
			Keywords: []string{"-us"}, Back: 32, Regexp: `[a-f0-9]{32}-us[0-9]{1,2}\b`, Entropy: 3,
			Found:   []string{"MC=«⟨h32⟩-us12»"},
			Ignored: []string{"en-us1", "⟨h20⟩-us12"},
		},
		{
			Name: "telegram", About: "Telegram bot tokens",
			Keywords: []string{":AA"}, Back: 8, Inside: true, Regexp: `[0-9]{8}:(AA[A-Za-z0-9_-]{33})\b`, Entropy: 3.5,
			Found:   []string{"api.telegram.org/bot⟨d10⟩:«AA⟨w33⟩»/getMe"},
			Ignored: []string{"12:AA:BB:CC:DD:EE", "rating:AAA"},
		},
		{
			Name: "atlassian", About: "Atlassian tokens",
			Keywords: []string{"ATATT3", "ATCTT3", "ATBB"},
			Regexp:   `AT[AC]TT3[A-Za-z0-9_=-]{100,}|ATBB[A-Za-z0-9]{32}\b`, Entropy: 3,
			Found:   []string{"JIRA=«ATATT3xFfGF0⟨s170⟩=⟨H8⟩»", "«ATBB⟨w32⟩»"},
			Ignored: []string{"ATATT3", "ATBB"},
		},
		{
			Name: "workspaces", About: "keys of Linear, Notion, Figma",
			Keywords: []string{"lin_api_", "lin_oauth_", "ntn_", "secret_", "figd_"},
			Regexp: `lin_api_[A-Za-z0-9]{40,48}|lin_oauth_[a-f0-9]{64}|ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b` +
				`|figd_[A-Za-z0-9_-]{38,48}`, Entropy: 3.5,
			Found:   []string{"«lin_api_⟨w40⟩»", "«ntn_⟨w46⟩»", "«secret_⟨w43⟩»", "«figd_⟨s40⟩»"},
			Ignored: []string{"secret_name", "ntn_x"},
		},
		{
			Name: "databases", About: "tokens of PlanetScale, Supabase, Neon",
			Keywords: []string{"pscale_tkn_", "pscale_pw_", "pscale_oauth_", "sbp_", "sb_secret_", "napi_", "npg_"},
			Regexp: `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,}|sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{28,40}` +
				`|napi_[a-z0-9]{60,70}|npg_[A-Za-z0-9]{12,16}\b`, Entropy: 3,
			Found:   []string{"«pscale_pw_⟨s43⟩»", "«sbp_⟨h40⟩»", "«sb_secret_⟨s31⟩»", "«napi_⟨l64⟩»"},
			Ignored: []string{"sb_secret_name", "sbp_mean = 120", "pscale_pw_"},
		},
	}
}
