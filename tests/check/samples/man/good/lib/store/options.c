	static const struct jdec_field fields[] = {
		{ "mtu", decode_mtu, offsetof(struct options, mtu), 0 },
