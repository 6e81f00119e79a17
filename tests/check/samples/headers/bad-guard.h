struct twice {
	int n;
};
