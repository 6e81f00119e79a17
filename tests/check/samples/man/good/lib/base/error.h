enum pw_code {
	PW_E_NONE = 0,
	PW_E_VERSION = 1, /* one */
	PW_E_CHECK = 103,
};
