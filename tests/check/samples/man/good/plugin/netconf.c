static const struct jdec_field netconf_fields[] = {
	{ "ipMasq", jdec_bool, FIELD(ip_masq), 0 },
	{ "args", decode_args, 0, 0 },
	{ 0 },
};
