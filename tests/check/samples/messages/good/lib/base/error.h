enum pw_code {
	PW_E_NONE = 0,
	PW_E_IO = 5,
	PW_E_CONFIG = 7,
	PW_E_INTERNAL = 999,
};
