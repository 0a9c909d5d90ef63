// Does with pi-tui what BenchmarkTerminal of package tui does, and prints the
// figures in the same form.
//
//   PI_TUI=…/node_modules/@earendil-works/pi-tui node pitui.mjs
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const dir = process.env.PI_TUI;
if (!dir) throw new Error("PI_TUI must be the folder of @earendil-works/pi-tui");
const t = await import(pathToFileURL(join(dir, "dist/index.js")).href);
const time = Number(process.env.BENCH_SECONDS || 0.3);

class Silent {
	bytes = 0;
	columns = 120;
	rows = 40;
	kittyProtocolActive = true;
	start() {}
	stop() {}
	async drainInput() {}
	write(s) {
		this.bytes += Buffer.byteLength(s);
	}
	moveBy(n) {
		if (n) this.write(n > 0 ? `\x1b[${n}B` : `\x1b[${-n}A`);
	}
	hideCursor() {
		this.write("\x1b[?25l");
	}
	showCursor() {
		this.write("\x1b[?25h");
	}
	clearLine() {
		this.write("\x1b[K");
	}
	clearFromCursor() {
		this.write("\x1b[J");
	}
	clearScreen() {
		this.write("\x1b[2J\x1b[H");
	}
	setTitle() {}
	setProgress() {}
	setProgramStatus() {}
}

const words = "the agent reads a file then edits one line and runs every test again before it answers with what it found".split(" ");
function line(i) {
	let s = "";
	for (let j = 0; s.length < 90; j++) {
		const w = words[(i + j) % words.length];
		s += (j % 7 === 3 ? `\x1b[36m${w}\x1b[0m` : j % 7 === 5 ? `\x1b[1m${w}\x1b[0m` : w) + " ";
	}
	return s;
}
const lines = Array.from({ length: 5000 }, (_, i) => line(i));
const plain = (s) => s;
const theme = { borderColor: plain, selectList: { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain } };

function build(mode, content) {
	const term = new Silent();
	const tui = mode === "main" ? new t.TuiMainScreen(term) : new t.TuiAltScreen(term);
	const chat = new t.Container();
	for (const l of content) chat.addChild(new t.Text(l, 0, 0));
	const editor = new t.Editor(tui, theme);
	if (mode === "main") {
		tui.addChild(chat);
		tui.addChild(editor);
	} else {
		tui.setLayoutRoot(
			new t.VStack([
				{ component: new t.ScrollView(chat, { follow: "end", primary: true, overscroll: "chain" }), basis: 0, grow: 1, minSize: 1 },
				{ component: editor, basis: "auto", shrink: 1, minSize: 1 },
			]),
		);
	}
	tui.setFocus(editor);
	tui.start();
	tui.renderNow(true);
	return { tui, term, chat, editor };
}

function report(name, n, seconds, bytes) {
	const perFrame = bytes === undefined ? "" : `\t${(bytes / n).toFixed(1)} bytes/frame`;
	console.log(`BenchmarkTerminal/${name}\t${n}\t${((seconds * 1e9) / n).toFixed(0)} ns/op${perFrame}`);
}

function frames(name, p, step) {
	for (let i = 0; i < 20; i++) {
		step(i);
		p.tui.renderNow();
	}
	const before = p.term.bytes;
	const start = performance.now();
	let n = 0;
	while (n < 5 || performance.now() - start < time * 1000) {
		step(n++);
		p.tui.renderNow();
	}
	report(name, n, (performance.now() - start) / 1000, p.term.bytes - before);
	p.tui.stop?.({});
}

for (const mode of ["full", "main"]) {
	{
		const p = build(mode, lines);
		const live = new t.Text("", 0, 0);
		p.chat.addChild(live);
		let text = "";
		frames(`token/${mode}`, p, (i) => {
			text = (i % 18 === 0 ? "" : text) + " token";
			live.setText(text);
		});
	}
	{
		const p = build(mode, lines);
		frames(`line/${mode}`, p, (i) => p.chat.addChild(new t.Text(lines[i % lines.length], 0, 0)));
	}
	{
		const p = build(mode, lines);
		frames(`resize/${mode}`, p, (i) => {
			p.term.columns = 120 - 40 * ((i + 1) % 2);
		});
	}
	{
		const start = performance.now();
		let n = 0;
		while (n < 5 || performance.now() - start < time * 1000) {
			build(mode, lines).tui.stop?.({});
			n++;
		}
		report(`paint/${mode}`, n, (performance.now() - start) / 1000);
	}
}
{
	const input = `\x1b[200~${`${"some pasted text of a line,".repeat(4).slice(0, 107)}\r`.repeat((1 << 20) / 108)}\x1b[201~`;
	const p = build("full", []);
	const buffer = new t.StdinBuffer();
	buffer.on("data", (s) => p.editor.handleInput(s));
	buffer.on("paste", (s) => p.editor.handleInput(`\x1b[200~${s}\x1b[201~`));
	const step = () => {
		p.editor.setText("");
		for (let at = 0; at < input.length; at += 4096) buffer.process(input.slice(at, at + 4096));
		if (p.editor.getExpandedText().length < (1 << 20) - 200) throw new Error("the paste is not in the editor");
	};
	const start = performance.now();
	const before = p.term.bytes;
	let n = 0;
	while (n < 3 || performance.now() - start < time * 1000) {
		step();
		p.tui.renderNow();
		n++;
	}
	report("paste", n, (performance.now() - start) / 1000, p.term.bytes - before);
	p.tui.stop?.({});
}
{
	const p = build("full", []);
	p.editor.setText("a line of the text that is being edited, some words long\n".repeat(2000));
	frames("key", p, (i) => {
		if (i % 80 === 79) p.editor.setText("a line of the text that is being edited, some words long\n".repeat(2000));
		p.editor.handleInput("x");
	});
}
process.exit(0);
