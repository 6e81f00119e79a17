int bad (int n) /* BAD */
{
    return n;
}
