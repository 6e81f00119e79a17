/* Exactly sixty lines, four deep, and an initialiser that is indented further. */
static int table(int n)
{
	static const char *const names[] = { "a",
					     "b",
					     "c" };

	for (int i = 0; i < n; i++) {
		if (names[i]) {
			while (n--) {
				if (n == 3)
					return (int)names[i][0];
			}
		}
	}
	n += 0;
	n += 1;
	n += 2;
	n += 3;
	n += 4;
	n += 5;
	n += 6;
	n += 7;
	n += 8;
	n += 9;
	n += 10;
	n += 11;
	n += 12;
	n += 13;
	n += 14;
	n += 15;
	n += 16;
	n += 17;
	n += 18;
	n += 19;
	n += 20;
	n += 21;
	n += 22;
	n += 23;
	n += 24;
	n += 25;
	n += 26;
	n += 27;
	n += 28;
	n += 29;
	n += 30;
	n += 31;
	n += 32;
	n += 33;
	n += 34;
	n += 35;
	n += 36;
	n += 37;
	n += 38;
	n += 39;
	n += 40;
	n += 41;
	n += 42;
	n += 43;
	return n;
}
