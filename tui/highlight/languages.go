package highlight

import "sync"

// Ways to write strings that several languages share.
var (
	doubleQuoted = stringRule{open: `"`, end: `"`, escape: '\\'}
	singleQuoted = stringRule{open: `'`, end: `'`, escape: '\\'}
	backQuoted   = stringRule{open: "`", end: "`", multi: true}
	template     = stringRule{open: "`", end: "`", escape: '\\', multi: true}
	tripleDouble = stringRule{open: `"""`, end: `"""`, escape: '\\', multi: true}
	tripleSingle = stringRule{open: `'''`, end: `'''`, escape: '\\', multi: true}
	openDouble   = stringRule{open: `"`, end: `"`, escape: '\\', multi: true}
	openSingle   = stringRule{open: `'`, end: `'`, multi: true}
)

// languages are all languages; the tables are made when first used.
var languages = sync.OnceValue(func() []*Language {
	slashes := []string{"//"}
	hash := []string{"#"}
	return []*Language{
		{
			Name: "go", aliases: "golang", files: ".go", line: slashes, open: "/*", end: "*/",
			strings:   []stringRule{doubleQuoted, singleQuoted, backQuoted},
			keywords:  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var",
			types:     "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr",
			constants: "true false nil iota",
		},
		{
			Name: "javascript", aliases: "js jsx node mjs", files: ".js .mjs .cjs .jsx", line: slashes, open: "/*", end: "*/", ident: "$", regex: true, upper: true, decorator: '@',
			strings:   []stringRule{doubleQuoted, singleQuoted, template},
			keywords:  "as async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield",
			constants: "true false null undefined NaN Infinity",
		},
		{
			Name: "typescript", aliases: "ts tsx", files: ".ts .tsx .mts .cts", line: slashes, open: "/*", end: "*/", ident: "$", regex: true, upper: true, decorator: '@',
			strings:   []stringRule{doubleQuoted, singleQuoted, template},
			keywords:  "abstract as asserts async await break case catch class const continue debugger declare default delete do else enum export extends finally for from function get if implements import in infer instanceof interface is keyof let module namespace new of override private protected public readonly return satisfies set static super switch this throw try type typeof unique var void while with yield",
			types:     "any bigint boolean never number object string symbol unknown",
			constants: "true false null undefined NaN Infinity",
		},
		{
			Name: "python", aliases: "py python3 pyi", files: ".py .pyi .pyw", line: hash, decorator: '@', upper: true,
			strings:   []stringRule{tripleDouble, tripleSingle, doubleQuoted, singleQuoted},
			keywords:  "and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
			types:     "bool bytes dict float frozenset int list object set str tuple type",
			constants: "True False None self cls",
		},
		{
			Name: "shell", aliases: "sh bash zsh ksh console shell-session", files: ".sh .bash .zsh .bashrc .zshrc .profile", line: hash, ident: "-", variable: '$', heredoc: true,
			strings:   []stringRule{openDouble, openSingle, {open: "`", end: "`"}},
			keywords:  "case do done elif else esac fi for function if in select then time until while alias break cd continue declare echo eval exec exit export local printf read readonly return set shift source test trap typeset unset",
			constants: "true false",
		},
		{Name: "json", aliases: "jsonc json5 jsonl", files: ".json .jsonc .jsonl .webmanifest", line: slashes, open: "/*", end: "*/", strings: []stringRule{doubleQuoted}, constants: "true false null", special: keyed},
		{Name: "yaml", aliases: "yml", files: ".yaml .yml", line: hash, strings: []stringRule{doubleQuoted, singleQuoted}, constants: "true false null yes no on off ~", ident: "-./", special: yaml},
		{Name: "toml", files: ".toml cargo.lock", line: hash, strings: []stringRule{tripleDouble, tripleSingle, doubleQuoted, singleQuoted}, constants: "true false inf nan", ident: "-", special: settings},
		{Name: "ini", aliases: "cfg conf properties dosini editorconfig", files: ".ini .cfg .conf .properties .editorconfig .gitconfig", line: []string{"#", ";"}, strings: []stringRule{doubleQuoted}, constants: "true false yes no on off", ident: "-", special: settings},
		{
			Name: "rust", aliases: "rs", files: ".rs", line: slashes, open: "/*", end: "*/", nested: true, upper: true,
			strings:   []stringRule{{open: "r#", end: `"`, multi: true}, {open: `r"`, end: `"`, multi: true}, openDouble, singleQuoted},
			keywords:  "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type union unsafe use where while",
			types:     "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Self",
			constants: "true false",
		},
		{
			Name: "c", aliases: "h", files: ".c .h", line: slashes, open: "/*", end: "*/", preproc: true,
			strings:   []stringRule{doubleQuoted, singleQuoted},
			keywords:  "auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch typedef union volatile while",
			types:     "bool char double float int int8_t int16_t int32_t int64_t intptr_t long short signed size_t ssize_t uint8_t uint16_t uint32_t uint64_t uintptr_t unsigned void FILE",
			constants: "NULL true false",
		},
		{
			Name: "cpp", aliases: "c++ cc cxx hpp", files: ".cpp .cc .cxx .hpp .hh .hxx .ipp", line: slashes, open: "/*", end: "*/", preproc: true, upper: true,
			strings:   []stringRule{doubleQuoted, singleQuoted},
			keywords:  "alignas alignof and asm auto break case catch class concept const consteval constexpr const_cast continue co_await co_return co_yield decltype default delete do dynamic_cast else enum explicit export extern final for friend goto if inline mutable namespace new noexcept not operator or override private protected public register reinterpret_cast requires return sizeof static static_assert static_cast struct switch template this thread_local throw try typedef typeid typename union using virtual volatile while",
			types:     "bool char char8_t char16_t char32_t double float int long short signed size_t string unsigned void wchar_t vector map",
			constants: "nullptr NULL true false",
		},
		{
			Name: "csharp", aliases: "cs c#", files: ".cs", line: slashes, open: "/*", end: "*/", preproc: true, upper: true,
			strings:   []stringRule{tripleDouble, {open: `@"`, end: `"`, multi: true}, doubleQuoted, singleQuoted},
			keywords:  "abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern finally fixed for foreach get goto if implicit in init interface internal is lock namespace new operator out override params partial private protected public readonly record ref required return sealed set sizeof stackalloc static struct switch this throw try typeof unchecked unsafe using var virtual volatile when where while with yield",
			types:     "bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort void",
			constants: "true false null",
		},
		{
			Name: "java", files: ".java", line: slashes, open: "/*", end: "*/", upper: true, decorator: '@',
			strings:   []stringRule{tripleDouble, doubleQuoted, singleQuoted},
			keywords:  "abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import instanceof interface native new non-sealed package permits private protected public record return sealed static strictfp super switch synchronized this throw throws transient try var volatile while yield",
			types:     "boolean byte char double float int long short void",
			constants: "true false null",
		},
		{
			Name: "kotlin", aliases: "kt kts", files: ".kt .kts", line: slashes, open: "/*", end: "*/", nested: true, upper: true, decorator: '@',
			strings:   []stringRule{{open: `"""`, end: `"""`, multi: true}, doubleQuoted, singleQuoted},
			keywords:  "abstract actual annotation as break by catch class companion const constructor continue crossinline data do else enum expect external final finally for fun get if import in infix init inline inner interface internal is lateinit noinline object open operator out override package private protected public reified return sealed set super suspend tailrec this throw try typealias val var vararg when where while",
			constants: "true false null",
		},
		{
			Name: "swift", files: ".swift", line: slashes, open: "/*", end: "*/", nested: true, upper: true, decorator: '@',
			strings:   []stringRule{tripleDouble, doubleQuoted},
			keywords:  "actor any as associatedtype async await break case catch class continue convenience default defer deinit didSet do dynamic else enum extension fallthrough fileprivate final for func get guard if import in indirect infix init inout internal is lazy let mutating nonisolated open operator override postfix precedencegroup prefix private protocol public repeat required rethrows return self set some static struct subscript super switch throw throws try typealias unowned var weak where while willSet",
			constants: "true false nil",
		},
		{
			Name: "ruby", aliases: "rb", files: ".rb .rake .gemspec gemfile rakefile", line: hash, ident: "?!", upper: true, variable: '@', regex: true, heredoc: true,
			strings:   []stringRule{openDouble, openSingle, {open: "`", end: "`"}},
			keywords:  "alias and begin break case class def do else elsif end ensure extend for if in include module next not or private protected public raise redo require require_relative rescue retry return self super then undef unless until when while yield attr_accessor attr_reader attr_writer",
			constants: "true false nil",
		},
		{
			Name: "php", files: ".php .phtml", line: []string{"//", "#"}, open: "/*", end: "*/", variable: '$', upper: true,
			strings:   []stringRule{openDouble, openSingle},
			keywords:  "abstract and as break callable case catch class clone const continue declare default do echo else elseif enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield",
			types:     "array bool float int iterable mixed never object string void",
			constants: "true false null TRUE FALSE NULL",
		},
		{Name: "html", aliases: "htm vue svelte", files: ".html .htm .vue .svelte", open: "<!--", end: "-->", strings: []stringRule{doubleQuoted, singleQuoted}, ident: "-:", special: markup},
		{Name: "xml", aliases: "svg xsl plist", files: ".xml .svg .xsl .plist .csproj .pom", open: "<!--", end: "-->", strings: []stringRule{doubleQuoted, singleQuoted}, ident: "-:.", special: markup},
		{
			Name: "css", aliases: "scss sass less", files: ".css .scss .sass .less", line: []string{"//"}, open: "/*", end: "*/", ident: "-", decorator: '@', variable: '$',
			strings: []stringRule{doubleQuoted, singleQuoted}, constants: "auto inherit initial none unset", special: css,
		},
		{
			Name: "sql", aliases: "mysql postgresql sqlite plsql", files: ".sql", line: []string{"--"}, open: "/*", end: "*/", fold: true,
			strings:   []stringRule{{open: "'", end: "'", multi: true}, doubleQuoted, {open: "`", end: "`", kind: Variable}},
			keywords:  "add all alter and any as asc begin between by cascade case check collate column commit constraint create cross current database default delete desc distinct drop else end except exists explain foreign from full function grant group having if in index inner insert intersect into is join key left like limit not offset on or order outer over partition primary procedure references returning revoke right rollback select set table then to transaction trigger truncate union unique update using values view when where window with",
			types:     "bigint blob boolean char date datetime decimal double float int integer json jsonb numeric real serial smallint text time timestamp uuid varchar",
			constants: "true false null",
		},
		{Name: "diff", aliases: "patch udiff", files: ".diff .patch", special: diffLine},
		{Name: "markdown", aliases: "md mdx", files: ".md .markdown .mdx", special: markdownLine},
		{
			Name: "makefile", aliases: "make mk", files: ".mk makefile gnumakefile", line: hash, variable: '$', strings: []stringRule{doubleQuoted, singleQuoted}, ident: "-",
			keywords: "define else endef endif export ifdef ifeq ifndef ifneq include override unexport vpath", special: makeLine,
		},
		{
			Name: "dockerfile", aliases: "docker containerfile", files: ".dockerfile dockerfile containerfile", line: hash, variable: '$', fold: true, strings: []stringRule{doubleQuoted, singleQuoted},
			keywords: "add arg as cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal user volume workdir",
		},
		{
			Name: "lua", files: ".lua", line: []string{"--"}, open: "--[[", end: "]]",
			strings:   []stringRule{{open: "[[", end: "]]", multi: true}, doubleQuoted, singleQuoted},
			keywords:  "and break do else elseif end for function goto if in local not or repeat return then until while",
			constants: "true false nil self",
		},
		{
			Name: "perl", aliases: "pl pm", files: ".pl .pm", line: hash, variable: '$', regex: true, heredoc: true,
			strings:  []stringRule{openDouble, openSingle},
			keywords: "and cmp die do each else elsif eq eval foreach for ge gt if keys last le local lt map my ne next no not or our package print push require return say shift sub unless until use while xor",
		},
		{
			Name: "r", files: ".r .rmd", line: hash, ident: ".", strings: []stringRule{openDouble, openSingle},
			keywords: "break else for function if in next repeat return while library require", constants: "TRUE FALSE NULL NA NaN Inf",
		},
		{
			Name: "scala", aliases: "sc", files: ".scala .sc .sbt", line: slashes, open: "/*", end: "*/", nested: true, upper: true, decorator: '@',
			strings:   []stringRule{{open: `"""`, end: `"""`, multi: true}, doubleQuoted},
			keywords:  "abstract case catch class def derives do else enum export extends extension final finally for given if implicit import inline lazy match new object opaque open override package private protected return sealed super then this throw trait try type using val var while with yield",
			constants: "true false null",
		},
		{
			Name: "haskell", aliases: "hs", files: ".hs", line: []string{"--"}, open: "{-", end: "-}", nested: true, upper: true, ident: "'",
			strings:   []stringRule{doubleQuoted},
			keywords:  "case class data default deriving do else family forall foreign if import in infix infixl infixr instance let module newtype of qualified then type where",
			constants: "True False Nothing",
		},
		{
			Name: "elixir", aliases: "ex exs", files: ".ex .exs", line: hash, upper: true, ident: "?!", decorator: '@',
			strings:   []stringRule{tripleDouble, openDouble, singleQuoted},
			keywords:  "after alias and case catch cond def defdelegate defexception defimpl defmacro defmodule defp defprotocol defstruct do else end fn for if import in not or quote raise receive require rescue super try unless unquote use when with",
			constants: "true false nil",
		},
		{
			Name: "dart", files: ".dart", line: slashes, open: "/*", end: "*/", nested: true, upper: true, decorator: '@',
			strings:   []stringRule{tripleDouble, tripleSingle, doubleQuoted, singleQuoted},
			keywords:  "abstract as assert async await base break case catch class const continue covariant default deferred do else enum export extends extension external factory final finally for get hide if implements import in interface is late library mixin new on operator part required rethrow return sealed set show static super switch sync this throw try typedef var void when while with yield",
			types:     "bool double dynamic int num",
			constants: "true false null",
		},
		{
			Name: "zig", files: ".zig .zon", line: slashes, upper: true, decorator: '@',
			strings:   []stringRule{doubleQuoted, singleQuoted, {open: `\\`, end: "\n"}},
			keywords:  "addrspace align allowzero and anyframe asm async await break callconv catch comptime const continue defer else enum errdefer error export extern fn for if inline linksection noalias nosuspend opaque or orelse packed pub resume return struct suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
			types:     "anyerror anyopaque anytype bool comptime_float comptime_int f16 f32 f64 f128 i8 i16 i32 i64 i128 isize noreturn type u8 u16 u32 u64 u128 usize void",
			constants: "true false null undefined",
		},
		{
			Name: "powershell", aliases: "ps1 pwsh posh", files: ".ps1 .psm1 .psd1", line: hash, open: "<#", end: "#>", variable: '$', ident: "-", fold: true,
			strings:  []stringRule{{open: `"`, end: `"`, escape: '`', multi: true}, openSingle},
			keywords: "begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for foreach from function if in param process return switch throw trap try until using while",
		},
		{
			Name: "objectivec", aliases: "objc obj-c", files: ".m .mm", line: slashes, open: "/*", end: "*/", preproc: true, upper: true, decorator: '@',
			strings:   []stringRule{{open: `@"`, end: `"`, escape: '\\'}, doubleQuoted, singleQuoted},
			keywords:  "auto break case const continue default do else enum extern for goto if in inline return self sizeof static struct super switch typedef union volatile while",
			types:     "BOOL char double float id int instancetype long short unsigned void",
			constants: "YES NO nil NULL true false",
		},
		{
			Name: "lisp", aliases: "clojure clj cljs edn elisp emacs-lisp scheme racket common-lisp", files: ".clj .cljs .cljc .edn .el .lisp .lsp .scm .rkt", line: []string{";"}, open: "#|", end: "|#", nested: true, ident: "-+*/<>=!?:&%.'",
			strings:   []stringRule{openDouble},
			keywords:  "and case cond def defclass defmacro defmethod defmulti defn defn- defparameter defprotocol defrecord defstruct defun defvar do dolist dotimes else fn for if if-let lambda let let* letrec loop ns or progn quote recur require setf setq unless when when-let",
			constants: "nil true false t #t #f",
		},
		{
			Name: "protobuf", aliases: "proto", files: ".proto", line: slashes, open: "/*", end: "*/", strings: []stringRule{doubleQuoted, singleQuoted}, upper: true,
			keywords: "enum extend extensions import map message oneof option optional package public repeated required reserved returns rpc service stream syntax to weak",
			types:    "bool bytes double fixed32 fixed64 float int32 int64 sfixed32 sfixed64 sint32 sint64 string uint32 uint64", constants: "true false",
		},
		{
			Name: "graphql", aliases: "gql", files: ".graphql .gql", line: hash, strings: []stringRule{tripleDouble, doubleQuoted}, upper: true, variable: '$', decorator: '@',
			keywords: "directive enum extend fragment implements input interface mutation on query repeatable scalar schema subscription type union", constants: "true false null",
		},
		{
			Name: "hcl", aliases: "terraform tf", files: ".tf .tfvars .hcl", line: []string{"#", "//"}, open: "/*", end: "*/", strings: []stringRule{doubleQuoted}, ident: "-", heredoc: true,
			keywords: "data dynamic else endfor endif for for_each if in locals module moved output provider required_providers resource terraform variable", types: "any bool list map number object set string tuple", constants: "true false null",
		},
		{
			Name: "nix", files: ".nix", line: hash, open: "/*", end: "*/", strings: []stringRule{{open: "''", end: "''", multi: true}, openDouble}, ident: "-'",
			keywords: "assert else if import in inherit let or rec then with", constants: "true false null",
		},
		{
			Name: "clike", aliases: "text-c", line: slashes, open: "/*", end: "*/", strings: []stringRule{doubleQuoted, singleQuoted}, upper: true,
			files:    ".groovy .gradle .d .v .vala .hx .as .glsl .hlsl .wgsl .cu .sol .cr .nim",
			keywords: "break case catch class const continue def default do else enum extends false final finally fn for func function if implements import in interface let new null package private protected public return static struct super switch this throw true try type val var void while",
		},
		{
			Name: "script", line: hash, strings: []stringRule{doubleQuoted, singleQuoted}, variable: '$',
			files:    ".fish .tcl .awk .jl .coffee .cmake cmakelists.txt .env .gitignore .dockerignore justfile",
			keywords: "and begin break case continue def do elif else elseif end endif for foreach func function if import in let local module not or proc return set switch then until using while",
		},
	}
})
