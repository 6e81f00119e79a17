	static const struct step steps[] = {
		{ "del-link", remove_link },
	};
