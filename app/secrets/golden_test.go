package secrets

// Made once with the key `first`; never to be regenerated.
const (
	golden = "01e091d4c4000000006b0040c1a98ddaf69c37021d8dad4ddc764758732bc0a94350" +
		"cbfab2e8cbfe8ede327185b7b8b200fea49d1e"
	goldenLookup = "18f4e873e78a05aa814dec6fd04ef7e89baf94439eac99944f3a1c5ca0119a03"
)
