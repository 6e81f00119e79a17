int main(void)
{
	printf("%s\n", getenv("CNI_COMMAND"));
	exit(0);
}
