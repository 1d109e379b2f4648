import type { PartialUsage } from '@sluice/core/provider'
import { countOf, type Fields, isFields, objectsOf } from '../wire/json-value.ts'

const names = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const

type Counts = { [Name in (typeof names)[number]]?: number }

/** The token counts of an answer. Several events report them: each is cumulative, and may lack some. */
export class UsageCounts {
  /** The tier that answered, in the protocol's words; `undefined` if the vendor does not report it. */
  serviceTier: string | undefined
  #counts: Counts = {}
  #iterations: readonly Fields[] | undefined
  #reasoning: number | undefined
  #webSearches: number | undefined

  /** Updates the counts that an event reports, and keeps the others. */
  add(usage: unknown): void {
    if (!isFields(usage)) return
    addCounts(this.#counts, usage)
    this.#iterations = objectsOf(usage.iterations) ?? this.#iterations
    const details = usage.output_tokens_details
    this.#reasoning = (isFields(details) ? countOf(details.thinking_tokens) : undefined) ?? this.#reasoning
    const tools = usage.server_tool_use
    this.#webSearches =
      (isFields(tools) ? countOf(tools.web_search_requests) : undefined) ?? this.#webSearches
    if (usage.service_tier === 'standard') this.serviceTier = 'default'
    else if (usage.service_tier === 'priority') this.serviceTier = 'priority'
  }

  /**
   * What is known so far; `undefined` where nothing is. The vendor counts input without what came from the cache
   * or went into it, and output with its thinking. For an answer in several iterations it has the counts of the
   * last one, unless another model took over: those of all are summed here.
   */
  get partial(): PartialUsage | undefined {
    const counts = summed(this.#iterations) ?? this.#counts
    const { input_tokens: input, output_tokens: output } = counts
    const { cache_creation_input_tokens: written, cache_read_input_tokens: cached } = counts
    if (input === undefined && output === undefined) return undefined
    return {
      ...(input === undefined ? {} : { prompt_tokens: input + (written ?? 0) + (cached ?? 0) }),
      ...(output === undefined ? {} : { completion_tokens: output }),
      ...(cached === undefined ? {} : { cached_tokens: cached }),
      ...(written === undefined ? {} : { cache_write_tokens: written }),
      ...(this.#reasoning === undefined ? {} : { reasoning_tokens: this.#reasoning }),
      ...(this.#webSearches === undefined ? {} : { web_search_requests: this.#webSearches }),
    }
  }
}

/** A count never falls: compatible servers write 0 for what they do not know yet, or no longer. */
function addCounts(counts: Counts, usage: Fields): void {
  for (const name of names) {
    const count = countOf(usage[name])
    if (count !== undefined && (count > 0 || counts[name] === undefined)) counts[name] = count
  }
}

function summed(iterations: readonly Fields[] | undefined): Counts | undefined {
  if (iterations === undefined || iterations.some(({ type }) => type === 'fallback_message')) return undefined
  const own = iterations.filter(({ type }) => type === 'message' || type === 'compaction')
  if (own.length === 0) return undefined
  const sum: Counts = {}
  for (const iteration of own) {
    for (const name of names) {
      const count = countOf(iteration[name])
      if (count !== undefined) sum[name] = (sum[name] ?? 0) + count
    }
  }
  return sum
}
