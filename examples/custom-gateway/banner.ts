import type { Target } from '@sluice/core'

/** What a newcomer needs to know of a gateway that has just started. */
export interface Started {
  readonly baseURL: string
  readonly key: string
  readonly minted: boolean
  readonly limit: string
  readonly models: Readonly<Record<string, Target>>
  /** Whether the real vendor answers for the first vendor's models. */
  readonly vendor: boolean
}

/** The text that is printed at start. */
export function banner({ baseURL, key, minted, limit, models, vendor }: Started): string {
  const rows = Object.entries(models).map(([name, target]) => `  ${name.padEnd(28)}${answeredBy(target)}`)
  return `
Sluice answers at ${baseURL}

  API key   ${key}
            ${minted ? 'Made for this run. Set SLUICE_API_KEY to choose your own.' : 'From SLUICE_API_KEY.'}
  Limit     ${limit}

  ${'Model'.padEnd(28)}Answered by
${rows.join('\n')}

${
  vendor
    ? 'local() is a stand-in, not a language model.'
    : "local() is a stand-in, not a language model. Set OPENAI_API_KEY, and the first vendor's models are real."
}

Try it:
${curl(baseURL, key)}

Ctrl+C stops it. Each request is logged below.
`
}

function answeredBy({ provider, model }: Target): string {
  return provider.name === 'local' ? 'local()' : `${provider.name} (${model})`
}

function curl(baseURL: string, key: string): string {
  const body = { model: 'vendora-4o', messages: [{ role: 'user', content: 'What is 12 * 7?' }] }
  return [
    `curl ${baseURL}/chat/completions`,
    `-H ${quoted(`authorization: Bearer ${key}`)}`,
    `-H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' ')
}

/** As one word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
