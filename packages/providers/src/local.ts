import type { Call, Capabilities, Provider, Target, UpstreamRequest } from '@sluice/core'
import { decodeChatCompletions } from './chat-completions.ts'
import { knownOptions, namesOf } from './known-options.ts'
import { checkedNumber } from './local/checked-number.ts'
import { checkFaults, type Faults } from './local/faults.ts'
import { checkPace, type Pace } from './local/pace.ts'
import { checkScript, type Script } from './local/script.ts'
import { localServer } from './local/server.ts'

export type { Faults } from './local/faults.ts'
export type { Pace } from './local/pace.ts'
export type { Script, ScriptedError, ScriptedReply, ScriptedToolCall } from './local/script.ts'

/** How the local provider behaves. All of it is optional. */
export interface LocalOptions {
  /** How fast it answers. Default: as fast as it is read. */
  readonly pace?: Pace
  /** Faults to test against: refusals, broken streams, silence. Not together with `script`. */
  readonly faults?: Faults
  /** What it answers, word for word, in place of its own answers. */
  readonly script?: Script
  /** The most tokens of a prompt and its answer; a longer prompt is refused with 400. Default: no limit. */
  readonly contextWindow?: number
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
  /** How many calls may run at once; a further one waits. Default: any number. */
  readonly maxConcurrent?: number
}

/** The embedded provider, set up: give it a model's name, or none for `local`. */
export interface LocalVendor {
  (model?: string, capabilities?: Capabilities): Target
  readonly provider: Provider
}

const optionNames = /* @__PURE__ */ namesOf<LocalOptions>({
  pace: true,
  faults: true,
  script: true,
  contextWindow: true,
  now: true,
  maxConcurrent: true,
})

/**
 * The embedded provider: a chat-completions server within the process, for a start without a key and for tests.
 * It is not a language model, and says so. The same request gives the same answer.
 *
 * It calculates, knows dates, counts, finds and changes things in the user's text, calls the tools it is given
 * with arguments made from their schemas, and answers with data for a schema; all else it answers from the
 * user's own words. Tokens are words and punctuation marks. An answer has at most 8,192 of them for a choice.
 *
 * Throws `TypeError` or `RangeError` for options that make no sense.
 */
export function local(options: LocalOptions = {}): LocalVendor {
  const provider = localProvider(options)
  const target = (model = 'local', capabilities?: Capabilities): Target =>
    capabilities === undefined ? { provider, model } : { provider, model, capabilities }
  return Object.assign(target, { provider })
}

function localProvider(options: LocalOptions): Provider {
  knownOptions('local()', options, optionNames)
  const { pace = {}, faults, script, contextWindow, now = Date.now, maxConcurrent } = options
  checkPace(pace)
  if (script !== undefined && faults !== undefined) {
    throw new TypeError('local(): faults and script are given together. Write the faults into the script.')
  }
  if (faults !== undefined) checkFaults(faults)
  if (script !== undefined) checkScript(script)
  if (typeof now !== 'function') throw new TypeError(`local(): now must be a function, but is ${typeof now}.`)
  const bounds = { min: 1, max: Number.MAX_SAFE_INTEGER, whole: true }
  if (contextWindow !== undefined) checkedNumber('contextWindow', contextWindow, bounds)
  if (maxConcurrent !== undefined) checkedNumber('maxConcurrent', maxConcurrent, bounds)
  return {
    name: 'local',
    // It reads nothing beyond the protocol.
    restrictedFields: {},
    encode,
    decode: (response, call) => decodeChatCompletions(response, call),
    transport: localServer({
      pace,
      faults: faults ?? {},
      now,
      ...(script === undefined ? {} : { script }),
      ...(contextWindow === undefined ? {} : { contextWindow }),
    }),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
  }
}

/** A stream is always asked for its token counts. */
function encode({ input, model }: Call): UpstreamRequest {
  const body =
    input.stream === true
      ? { ...input, model, stream_options: { ...input.stream_options, include_usage: true } }
      : { ...input, model }
  return {
    method: 'POST',
    url: 'local:chat/completions',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}
