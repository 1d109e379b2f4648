import type { Target } from '@sluice/core'

/** What a newcomer needs to know of a gateway that has just started. */
export interface Started {
  readonly baseURL: string
  readonly key: string
  readonly minted: boolean
  readonly limit: string
  readonly models: Readonly<Record<string, Target>>
}

/** The text that is printed at start. */
export function banner({ baseURL, key, minted, limit, models }: Started): string {
  const rows = Object.entries(models).map(([name, target]) => `  ${name.padEnd(28)}${answeredBy(target)}`)
  return `
Sluice is running at ${baseURL}

  API key   ${key}
            ${minted ? 'Created for this run. Set SLUICE_API_KEY to choose your own.' : 'From SLUICE_API_KEY.'}
  Limit     ${limit}

  ${'Model'.padEnd(28)}Answered by
${rows.join('\n')}

${standIn(Object.values(models))}

Try it:
${curl(baseURL, key, modelToTry(models))}

Press Ctrl+C to stop. Requests are logged below.
`
}

function standIn(targets: readonly Target[]): string {
  return targets.some(({ provider }) => provider.name === 'local')
    ? `local() is a built-in fake, not a language model. Set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, and
that vendor's models are real.`
    : 'Each model is answered by its vendor.'
}

function answeredBy({ provider, model }: Target): string {
  return provider.name === 'local' ? 'local()' : `${provider.name} (${model})`
}

/** The first model that a vendor answers, or the first of all. */
function modelToTry(models: Readonly<Record<string, Target>>): string | undefined {
  const names = Object.keys(models)
  return names.find(name => models[name]?.provider.name !== 'local') ?? names[0]
}

function curl(baseURL: string, key: string, model: string | undefined): string {
  const body = { model, messages: [{ role: 'user', content: 'What is 12 * 7?' }] }
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
