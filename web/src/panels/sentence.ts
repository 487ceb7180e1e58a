// The server's refusals are those of the command line, with place and source. A field or a toast has room for what is
// wrong and what helps.

/** What is wrong and what helps, out of a diagnostic; any other text stays as it is. */
export function sentence(message: string): string {
  if (!/^(error|warning)(\[[\w-]+\])?:/m.test(message)) return message;
  const kept: string[] = [];
  for (const line of message.split("\n")) {
    const head = /^(?:error|warning)(?:\[[\w-]+\])?:\s*(.*)$/.exec(line);
    const help = /^\s*=\s*(?:help|note):\s*(.*)$/.exec(line);
    if (head?.[1]) kept.push(capital(head[1]));
    else if (help?.[1]) kept.push(capital(help[1]));
  }
  return kept.map((line) => line.replaceAll("`", "").replace(/[^.!?…]$/, "$&.")).join("\n");
}

function capital(text: string): string {
  // A key of the file keeps its spelling.
  return text.startsWith("`") ? text : text.charAt(0).toUpperCase() + text.slice(1);
}
