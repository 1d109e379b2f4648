/** A question to a gateway as a line for a POSIX shell, to be pasted as it is. */
export function curlLine(baseURL: string, key: string, model: string): string {
  const body = { model, messages: [{ role: 'user', content: 'What is 12 * 7?' }] }
  return [
    `curl ${quoted(`${baseURL}/chat/completions`)}`,
    `-H ${quoted(`authorization: Bearer ${key}`)}`,
    `-H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' ')
}

/** As one word of the shell; plain where it is one anyway. */
function quoted(text: string): string {
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
