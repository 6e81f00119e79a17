static void deep(int n)
{
	if (n) {
		for (;;) {
			while (n) {
				if (n > 1) {
					if (n > 2)
						n--; /* BAD */
				}
			}
		}
	}
}
