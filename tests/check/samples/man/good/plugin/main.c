	const char *debug = getenv("PW_LOG");
	if (argc == 2 && strcmp(argv[1], "--help") == 0)
