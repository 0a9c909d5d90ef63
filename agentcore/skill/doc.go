// Package skill reads instructions that a model gets when it needs them.
//
// A skill is a Markdown file, with a name and a description in its front
// matter, and whatever lies beside it. The model sees names, descriptions and
// places ([List]) and reads the file when a task calls for it; a person can put
// the whole text into a message ([Skill.Expand]).
//
// A template is a message with places for arguments ([Template.Expand]).
//
//	skills, problems := skill.Discover(ctx, env.FS, skill.Root{Dir: dir, Loose: true})
//	prompt += skill.List(skills)
package skill
