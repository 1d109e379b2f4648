import type { Adjustment, BodyEdit, NativeCall } from '@sluice/core/provider'
import { validateBetas } from './check-options.ts'
import { callerBetas } from './native-headers.ts'

/** The betas that a host of Claude models knows, by the names that callers use: the host's own name for each. */
export type KnownBetas = Readonly<Record<string, string>>

/** Anthropic's name of the beta for several features of tools, and the other hosts' name of the part that they have. */
const toolSearch = { 'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19' }

/** Sources: the pages of AWS on Claude, and what it refuses (`invalid beta flag`). */
export const bedrockBetas: KnownBetas = {
  ...sameNames(
    'compact-2026-01-12',
    'computer-use-2024-10-22',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'context-management-2025-06-27',
    'dangerous-tool-use-2026-09-03',
    'dev-full-thinking-2025-05-14',
    'effort-2025-11-24',
    'fine-grained-tool-streaming-2025-05-14',
    'interleaved-thinking-2025-05-14',
    'mid-conversation-output-config-2026-07-01',
    'mid-conversation-tool-changes-2026-07-01',
    'output-128k-2025-02-19',
    'thinking-binding-controls-2026-08-01',
    'thinking-display-updates-2026-08-18',
    'token-efficient-tools-2025-02-19',
    'tool-examples-2025-10-29',
    'tool-search-tool-2025-10-19',
  ),
  ...toolSearch,
}

/** Sources: the pages of Google on Claude, and what it refuses. */
export const vertexBetas: KnownBetas = {
  ...sameNames(
    'compact-2026-01-12',
    'compact-2026-09-04',
    'computer-use-2024-10-22',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'context-management-2025-06-27',
    'dangerous-tool-use-2026-09-03',
    'interleaved-thinking-2025-05-14',
    'per-turn-control-2026-07-01',
    'thinking-binding-controls-2026-08-01',
    'thinking-display-updates-2026-08-18',
    'tool-search-tool-2025-10-19',
    'web-search-2025-03-05',
  ),
  ...toolSearch,
}

/** Returns the known betas with those of the option `allowBetas`. Throws `TypeError` for invalid names. */
export function allowedBetas(
  known: KnownBetas,
  allowed: readonly string[] | undefined,
  owner: string,
): KnownBetas {
  return { ...known, ...sameNames(...validateBetas(allowed, owner, 'allowBetas')) }
}

/** The betas of a call as its body has them. */
export interface BodyBetas {
  readonly edits: readonly BodyEdit[]
  readonly adjustments: readonly Adjustment[]
}

/**
 * Moves the caller's betas from the header into the body, for a host that refuses a request with a beta that it does not know.
 * The others are dropped and reported.
 *
 * @param own - the betas of the provider's configuration. They are always sent.
 */
export function bodyBetas(call: NativeCall, known: KnownBetas, own: readonly string[] = []): BodyBetas {
  const given = call.request.body.anthropic_beta
  const inBody = Array.isArray(given) ? given.filter(name => typeof name === 'string') : []
  const asked = [...new Set([...callerBetas(call), ...inBody])]
  const sent = new Set(own)
  const dropped: string[] = []
  const mapped: string[] = []
  for (const name of asked) {
    if (sent.has(name)) continue
    const theirs = Object.hasOwn(known, name) ? known[name] : undefined
    if (theirs === undefined) dropped.push(name)
    else {
      sent.add(theirs)
      if (theirs !== name) mapped.push(`${name} as ${theirs}`)
    }
  }
  const value = sent.size > 0 ? [...sent] : undefined
  return {
    edits: value === undefined && given === undefined ? [] : [{ path: ['anthropic_beta'], value }],
    adjustments: [
      ...adjustment(
        'dropped',
        dropped.filter(name => /^[\w.-]{1,64}$/.test(name)),
        dropped.length,
      ),
      ...adjustment('mapped', mapped, mapped.length),
    ],
  }
}

const maxNames = 8

/** @param names - those that are harmless in a report. */
function adjustment(
  action: Adjustment['action'],
  names: readonly string[],
  count: number,
): readonly Adjustment[] {
  if (count === 0) return []
  const shown = names.slice(0, maxNames)
  const others = count - shown.length
  const detail = [...shown, ...(others > 0 ? [`${others} more`] : [])].join(', ')
  return [{ parameter: 'anthropic-beta', action, detail }]
}

function sameNames(...names: readonly string[]): KnownBetas {
  return Object.fromEntries(names.map(name => [name, name]))
}
