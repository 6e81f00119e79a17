	[VERB_ADD] = "ADD", [VERB_DEL] = "DEL",
	if (strcmp(key, "MAC") == 0)
		return get(env, "CNI_ARGS");
