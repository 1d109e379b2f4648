/** Quotes a text for a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/**
 * Returns a command that sends JSON with the key of the variable `SLUICE_API_KEY`. It is one argument for any shell, and pasting it
 * into a terminal does nothing but that: characters that a terminal may act on are escaped, which means the same in JSON.
 */
export function curlCommand(url: string, json: string): string {
  return [
    `curl ${shellQuoted(url)}`,
    '-H "Authorization: Bearer $SLUICE_API_KEY"',
    "-H 'Content-Type: application/json'",
    `--data-raw ${shellQuoted(printableJson(json))}`,
  ].join(' \\\n  ')
}

/** In valid JSON tabs and line breaks are between values, and all other characters that are not printed are in strings. */
function printableJson(json: string): string {
  return json
    .replaceAll(/[\t\r\n]+/g, ' ')
    .replaceAll(
      /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
      character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
}
