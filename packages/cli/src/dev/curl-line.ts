/** A request that a person pastes into a shell. */
export interface ShellLine {
  /** The shell, where the operating system has several. */
  readonly shell: string | undefined
  readonly line: string
}

/** A question to a gateway as a line for each shell of the operating system, to be pasted as it is. */
export function curlLines(
  platform: NodeJS.Platform,
  baseURL: string,
  key: string,
  model: string,
): readonly ShellLine[] {
  const url = `${baseURL}/chat/completions`
  const headers = [`authorization: Bearer ${key}`, 'content-type: application/json']
  const body = { model, messages: [{ role: 'user', content: 'What is 12 * 7?' }] }
  if (platform !== 'win32') return [{ shell: undefined, line: posixLine(url, headers, JSON.stringify(body)) }]
  const plain = jsonWithoutEscapes(body)
  return [
    { shell: 'PowerShell', line: powerShellLine(url, headers, plain) },
    { shell: 'cmd.exe', line: commandPromptLine(url, headers, plain) },
  ]
}

function posixLine(url: string, headers: readonly string[], body: string): string {
  const words = [url, ...headers.flatMap(header => ['-H', header]), '-d', body]
  return ['curl', ...words.map(posixWord)].join(' ')
}

/** As one word of the shell; plain where it is one anyway. */
export function posixWord(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * `curl` is another command in Windows PowerShell, so it is `curl.exe`. The body goes through a pipe: Windows PowerShell and
 * PowerShell 7.3 pass double quotes within an argument in different ways.
 */
function powerShellLine(url: string, headers: readonly string[], body: string): string {
  const quoted = powerShellText
  const words = [quoted(url), ...headers.flatMap(header => ['-H', quoted(header)]), '-d', quoted('@-')]
  return `${quoted(body)} | curl.exe ${words.join(' ')}`
}

/** As a text of PowerShell in which nothing is replaced. */
export function powerShellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Arguments are read by the C runtime: a quote is `\"`, and backslashes before one are doubled. */
function commandPromptLine(url: string, headers: readonly string[], body: string): string {
  const quoted = (text: string) =>
    `"${text.replaceAll(/(\\*)("|$)/g, (_, slashes: string, end: string) => slashes + slashes + (end && '\\"'))}"`
  const words = [quoted(url), ...headers.flatMap(header => ['-H', quoted(header)]), '-d', quoted(body)]
  return `curl.exe ${words.join(' ')}`
}

/** JSON of visible ASCII whose texts hold no character that a shell of Windows reads in a way of its own. */
function jsonWithoutEscapes(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll(/\\["\\]/g, pair => unicodeEscape(pair[1]!))
    .replaceAll(/[&|<>^%!'`$]|[^\x20-\x7e]/g, unicodeEscape)
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
