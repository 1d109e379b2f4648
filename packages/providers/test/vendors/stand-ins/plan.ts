import { exampleValue } from './example-value.ts'
import type { CallOfTool, Heard } from './heard.ts'

/** What a stand-in answers, before it is written as its vendor writes it. */
export interface Plan {
  readonly thinking: string | undefined
  readonly text: string
  readonly calls: readonly CallOfTool[]
  readonly end: 'done' | 'stop sequence' | 'length' | 'calls'
  readonly stopSequence: string | undefined
  readonly usage: PlannedUsage
}

export interface PlannedUsage {
  /** All tokens of the prompt, those from the cache among them. */
  readonly prompt: number
  readonly cached: number
  /** All tokens of the answer, those of the thinking among them. */
  readonly output: number
  readonly thinking: number
}

/** How a stand-in fails where the last words of the user ask for it: `fail: context`. */
export type Failing = 'context' | 'rate' | 'overloaded' | 'first' | 'midway'

const numbers = [
  ...['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen', 'twenty'],
]

/** `first`: the stream's first event is an error. `midway`: it comes after some words. */
export function failureAsked(heard: Heard): Failing | undefined {
  return /^fail: (context|rate|overloaded|first|midway)$/.exec(question(heard))?.[1] as Failing | undefined
}

/** The same words for the same conversation, whichever vendor heard it. */
export function planFor(heard: Heard): Plan {
  const thinking = heard.thinks ? `I think about this: ${question(heard)}` : undefined
  const calls = callsFor(heard)
  const thinkingTokens = wordsOf(thinking ?? '').length
  if (calls.length > 0) {
    const output = thinkingTokens + 10 * calls.length
    return planned({ thinking, calls, end: 'calls' }, output, thinkingTokens)
  }
  let text = answerText(heard)
  let end: Plan['end'] = 'done'
  const stopSequence = heard.stop.find(sequence => text.includes(sequence))
  if (stopSequence !== undefined) {
    text = text.slice(0, text.indexOf(stopSequence))
    end = 'stop sequence'
  }
  const words = wordsOf(text)
  if (heard.maxTokens !== undefined && words.length > heard.maxTokens) {
    text = words.slice(0, heard.maxTokens).join('')
    end = 'length'
  }
  return planned({ thinking, text, end, stopSequence }, thinkingTokens + wordsOf(text).length, thinkingTokens)
}

/** Text in the pieces that a stream brings: words with the white space before them. */
export function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*$|\s*\S+/g) ?? []
}

function planned(
  part: Pick<Plan, 'thinking' | 'end'> & Partial<Plan>,
  output: number,
  thinking: number,
): Plan {
  const usage = { prompt: 100, cached: 20, output, thinking }
  return { text: '', calls: [], stopSequence: undefined, ...part, usage }
}

/** The last words of the user. */
function question({ turns }: Heard): string {
  return turns.findLast(({ role, texts }) => role === 'user' && texts.length > 0)?.texts.join('\n') ?? ''
}

/** `Weather in Paris and Oslo?` calls for both at once, `Weather in Paris, then Oslo?` for one after the other. */
function callsFor(heard: Heard): CallOfTool[] {
  if (heard.tools.size === 0) return []
  const cities = /weather in ([^?]+)\?/i.exec(question(heard))?.[1]
  if (cities !== undefined && heard.tools.has('get_weather')) {
    const call = (city: string): CallOfTool => ({ name: 'get_weather', input: { city } })
    const done = callsSinceQuestion(heard)
    const inOrder = cities.split(', then ')
    if (inOrder.length > 1) return inOrder.slice(done, done + 1).map(call)
    if (done === 0) return cities.split(' and ').map(call)
  } else if (heard.mustCall) {
    const [name, schema] = [...heard.tools][0]!
    return [{ name, input: exampleValue(schema) as object }]
  }
  return []
}

function callsSinceQuestion({ turns }: Heard): number {
  const asked = turns.findLastIndex(({ role, texts }) => role === 'user' && texts.length > 0)
  return turns.slice(asked + 1).reduce((sum, { calls }) => sum + calls.length, 0)
}

function answerText(heard: Heard): string {
  const { schema, turns, system } = heard
  const last = turns.at(-1)
  if (schema !== undefined) return JSON.stringify(exampleValue(schema))
  if (last !== undefined && last.attached.length > 0) return `I see ${last.attached.join(' and ')}.`
  if (last !== undefined && last.results.length > 0) return `The tools say: ${last.results.join('; ')}.`
  if (/count to twenty/i.test(question(heard))) return numbers.join(' ')
  return [
    `system: ${system.join(' ')}`,
    ...turns.map(({ role, texts }) => `${role}: ${texts.join(' ')}`),
  ].join(' / ')
}
