// Package lint finds what the author of a robots.txt should look at and tells
// what to write instead. [Text] judges the lines of a file, [Document] also how a
// site serves it.
//
// An error or a warning is something to change; an info is good to know and
// asks for nothing.
//
// A finding whose Edit is not [EditNone] has a fix that can be applied as it
// is. Such a fix changes no verdict on any URL for any agent, unless Changes is
// set: then only verdicts change that the rule of the line decides, before or
// after, and the message tells what is wrong with it. Where that cannot be
// promised, the fix is advice or empty.
package lint
