const mark = '[removed]'

/** Patterns of internal texts, such as stack traces and paths: such a text is removed as a whole. */
const internals: readonly RegExp[] = [
  /\bTraceback\b|\bFile "[^"]{1,300}", line \d|, line \d+, in /, // Python
  /\bat .{0,300}?[^\s\d]:\d+:\d+/, // JavaScript: `at run (file:10:5)`
  /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|cs|rb|php|cc|cpp|cu):\d+/, // a line of a source file
  /\b(?:site-packages|dist-packages|node_modules|node:internal)\b/,
  /-----BEGIN /, // PEM
  /\b[A-Za-z]:\\\w|\\\\[\w.-]+\\\w|(?<![\w./])~\/\w/, // C:\x, \\server\x, ~/x
  // An absolute path. A route of the API and a JSON pointer (`/messages/0`, `#/a/b`) look alike, and are of use.
  /(?<![\w./)\]*<#-])\/(?!v\d\w*\/|(?:api|chat|messages|responses|input|tools|functions|response_format|metadata|stop)\/)[\w.@+-]+\/[\w.@+-]/,
]

/**
 * The patterns to remove from a text, in this order: phrases before their parts. Each pattern starts at one position of a
 * run or is bounded, so that no text takes quadratic time. A closing quotation mark stays: one is removed only at the start
 * of a value and before a letter or digit.
 */
const secrets: Readonly<Record<string, RegExp>> = {
  url: /\b[a-z][a-z0-9+.-]{0,30}:\/\/(?:[^\s"'`]|["'`](?=\w))+/gi,
  email: /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  // "bearer tokens" and "Basic authentication" are words: a credential has digits, signs, odd case or length.
  bearer:
    /\b(?:[Bb]earer|BEARER)\s+(?=[^\s\d_+/=*]*(?:[\d_+/=*]|\.\w)|\w*[a-z][A-Z]|[A-Za-z]{16})(?:[^\s"'`]|["'`](?=\w))+/g,
  basic: /\b(?:[Bb]asic|BASIC)\s+(?=[A-Za-z+/]*(?:[\d=]|[a-z][A-Z]|[A-Z]{2}))[A-Za-z0-9+/]{8,}={0,2}/g,
  authorization:
    /authorization["'`]?\s*[:=]\s*(?:(?:token|apikey|digest|key)\s+)?["'`]?(?:[^\s"'`]|["'`](?=\w))+/gi,
  // Named in the text: `api_key=...`, `"password": "..."`, `API key provided: ...`, `host='backend'`.
  assigned:
    /(?:api[-_ ]?key|(?:account|access|private|shared)[-_ ]?key|secret|passw(?:or)?d|credentials?|\bhost(?:name)?)(?:[-_ ]?id| provided)?["'`]?\s*[:=]\s*(?:"[^"]{0,300}"|'[^']{0,300}'|["'`]?(?:[^\s"'`]|["'`](?=\w))+)/gi,
  // A token of the text, such as `eos_token=</s>`, is none.
  token:
    /(?<!(?:unexpected|special|eos|bos|pad|unk|sep|cls|mask|stop|start|end)[-_ ])token["'`]?\s*[:=]\s*["'`]?(?:[^\s"'`]|["'`](?=\w)){6,}/gi,
  masked: /(?<![\w.-])[\w.-]*\*{3}[\w*.-]*/g,
  skKey: /(?<![a-z0-9])sk[-*][\w.*-]{6,}/gi,
  // Other prefixes could begin a name: a key has no words after them.
  prefixedKey:
    /(?<![A-Za-z0-9])(?:gsk|csk|xai|fw|tgp|nvapi|pplx|sess|hf|r8|[spr]k|gh[opsu]|glpat|github_pat|org|proj)[-_](?:[A-Za-z0-9]{16}|(?=[a-z]{0,7}[A-Z0-9])[A-Za-z0-9]{8}|(?=[a-z_-]{0,60}[A-Z0-9])[\w-]{14})[\w.-]*/g,
  vendorKey:
    /(?<![A-Za-z0-9])(?:AIza[\w-]{10,}|A[KS]IA[A-Z0-9]{12,}|ya29[.-][\w.-]{4,}|eyJ[\w-]{8,}\.[\w.-]+)/g,
  ipv6: /(?<![\w:.])\[?(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){0,6})?::(?:[0-9a-f]{1,4}:){0,6}(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4})|(?:[0-9a-f]{1,4}:){1,7}:|(?<=\[)::(?=\]))(?:%\w+)?\]?(?::\d+)?(?![\w:])/gi,
  ipv4: /(?<![\w.]|\bversion )\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.]*\w)/gi,
  localhost: /(?<![\w.-])localhost(?::\d+)?\b/gi,
  // `backend:8000`, but neither `llama3:70b` nor `tokens:4096`.
  port: /(?<![\w.-])(?!\w*(?:tokens?|length|limit|size|line|column|position|char|index|status|code|error):)[a-z][\w.-]*:\d{2,5}(?!\w|:\d)/gi,
  unresolved: /\b(?:ENOTFOUND|EAI_AGAIN)\s+[^\s"'`]+|\blookup \S+(?= on )/g,
  // `socket.io` is a name; `eu.socket.io` is a host.
  host: /(?<![\w.-])(?:[\w-]+\.)+(?:com|net|org|ai|dev|app|cloud|co|cn|eu|uk|us|ca|au|br|sg|ch|nl|se|de|fr|jp|kr|ru|gg|biz|xyz|tech|site|online|example|internal|intranet|local|localdomain|private|corp|lan|home|svc|consul|(?<=\.[\w-]+\.)io)(?!\.?[\w-])/gi,
}

/**
 * Makes a vendor's message safe for a caller: replaces keys, tokens, URLs, hosts and addresses, removes control characters,
 * and shortens it to 1,000 characters. Returns an empty text for one that shows the upstream's internals: a stack, a path.
 */
export function redact(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  let clean = text.slice(0, 4_000).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
  if (internals.some(sign => sign.test(clean))) return ''
  for (const secret of Object.values(secrets)) clean = clean.replace(secret, mark)
  clean = clean.replace(/(["'`]?)([\w+/-]{32,}={0,2})/g, (run, quote: string, word: string) =>
    isRandom(word, quote !== '') ? quote + mark : run,
  )
  clean = clean.trim()
  return clean.length > 1_000 ? `${clean.slice(0, 1_000)}...` : clean
}

/** Whether a long run is a key. A quoted one is more often the name of a tool, or an id of the caller's. */
function isRandom(run: string, quoted: boolean): boolean {
  if (/^(?:call_|chatcmpl-)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.test(run)) return false
  if (/^[0-9a-f]+$/i.test(run)) return !quoted
  if (!(/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run))) return false
  if (!quoted && !/[-_]/.test(run)) return true
  // Letters and digits alternate often in a key, rarely in `Meta-Llama-3-1-405B-Instruct-Turbo`.
  const changes = run.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g) ?? []
  return changes.length > 0.3 * run.length
}
