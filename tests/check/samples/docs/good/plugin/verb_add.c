static const struct step add_steps[] = {
	{ "lock", take_lock },
	{ "record", wire_record },
};
