import type { RecordedBodies } from '@sluice/core/store'
import { printable } from '../command-line/printable.ts'
import { tableText } from '../command-line/table-text.ts'
import type { ComparedResponse } from './send-again.ts'

/** Two responses beside each other, and their texts below. */
export function replayText(
  bodies: RecordedBodies,
  stored: ComparedResponse,
  replayed: ComparedResponse,
): string {
  const rows: readonly (readonly [string, (response: ComparedResponse) => string])[] = [
    ['request', ({ requestId }) => requestId],
    ['status', ({ status }) => String(status)],
    ['target', ({ target }) => target ?? '-'],
    ['tokens', tokensText],
    ['cost (USD)', ({ cost }) => cost?.toFixed(6) ?? '-'],
    ['ms', ({ ms }) => (ms === null ? '-' : String(Math.round(ms)))],
  ]
  const table = tableText(
    [{ head: '' }, { head: 'stored' }, { head: 'replayed' }],
    rows.map(([name, cell]) => [name, cell(stored), cell(replayed)]),
  )
  const { path, model, at } = bodies
  return [
    `POST ${printable(path)} for ${printable(model)}, of ${new Date(at).toISOString()}`,
    '',
    table,
    '',
    'Stored response:',
    bodyText(stored),
    '',
    'Replayed response:',
    bodyText(replayed),
  ].join('\n')
}

function tokensText({ promptTokens, completionTokens }: ComparedResponse): string {
  return promptTokens === null ? '-' : `${promptTokens}+${completionTokens ?? 0}`
}

/** Models write it: its lines stay, and nothing else can control a terminal. */
function bodyText({ text, truncated }: ComparedResponse): string {
  if (text === null) return '(none was sent)'
  const lines = text.replaceAll(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, character => (character === '\t' ? '\t' : '?'))
  return truncated ? `${lines}\n(cut: it is larger than log.bodies.maxBytes)` : lines
}
