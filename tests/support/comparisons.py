"""Outputs of systems for tests of comparisons, and text that would break a page."""

#: References, a system, and one that is better.
REFERENCES = ["the cat sat on the mat today", "it rained all day long here", "a dog barks at night"] * 8
BASE = ["the cat sat on a mat today", "it rained all day in here", "one dog barks at nights"] * 8
NEW = ["the cat sat on the mat today", "it rained all day in here", "a dog barked at night"] * 8

#: Texts that would do harm, or break a page, if anything took them for more than text.
HOSTILE = (
    "<script>document.title='taken'</script>",
    "</script><script>document.title='taken'</script>",
    "</style></title></table></svg><img src=x onerror=\"document.title='taken'\">",
    "\"><svg onload=document.title='taken'>",
    "' onmouseover='document.title=1' autofocus onfocus='document.title=1' x='",
    "javascript:document.title='taken'",
    "{{ 7 * 7 }}{% raw %}{# #}",
    "]]><!-- --> <![CDATA[",
    "$x^2$ \\frac{ % # _ ~",
    "&lt;b&gt; &amp; &#0;",
    "\u2028\u2029\u202e\u2066",
    "\0\x01\x1b[31m\x7f",
    "\ud800 \udfff",
    "a\nb\tc\rd",
)
