import type { Adjustment } from '@sluice/core'
import { targets, translatingTo } from '../../e2e/replay/translated.ts'
import { table } from '../parameters/markdown-table.ts'

/** A request with something that not every protocol has. */
export interface Example {
  readonly request: object
  /** The path of it, as adjustments and errors name it. */
  readonly path: string
  /** A word of it that has to reach the vendor if it is sent. Default: its path, and nothing else is sent. */
  readonly word?: string
}

/** Examples in one dialect. */
export interface LossExamples {
  readonly path: '/messages' | '/responses'
  /** The kinds of vendors, by their heads. */
  readonly columns: Readonly<Record<string, string>>
  /** What each request has. */
  readonly base: object
  /** By what they have, in words. */
  readonly examples: Readonly<Record<string, Example>>
}

/** The outcome of each example for each kind of vendor, and everything that was reported. */
export async function lossesTable({ path: endpoint, columns, base, examples }: LossExamples): Promise<{
  readonly text: string
  readonly reported: readonly string[]
}> {
  const reported: string[] = []
  const made = await Promise.all(
    Object.entries(columns).map(async ([head, family]) => {
      const translate = translatingTo(targets[family]!, endpoint)
      const cells: string[] = []
      for (const { request, path, word } of Object.values(examples)) {
        const { status, body: sent, message = '', adjustments } = await translate({ ...base, ...request })
        reported.push(message, ...adjustments.map(({ detail = '' }) => detail))
        cells.push(status === 400 ? 'refused' : outcome(JSON.stringify(sent), path, word, adjustments))
      }
      return [head, cells] as const
    }),
  )
  return { text: table('In the request', made, Object.keys(examples)), reported }
}

function outcome(
  sent: string,
  path: string,
  word: string | undefined,
  adjustments: readonly Adjustment[],
): string {
  const within = (parameter: string) =>
    parameter.startsWith(path) && /^(?:$|[.[])/.test(parameter.slice(path.length))
  const told = adjustments.filter(({ parameter }) => within(parameter))
  if (told.length > 0)
    return told.map(({ action, detail }) => (detail ? `${action}: ${detail}` : action)).join('; ')
  return word !== undefined && sent.includes(word) ? 'sent' : 'left out'
}
