import { type ChatDialectName, chatDialects } from './chat-dialects.ts'
import type { ChatImage, ChatOptions, ChatTool, Turn } from './chat-types.ts'
import {
  isObject,
  type Members,
  membersOf,
  type OmitPart,
  type OpenedTurns,
  textIn,
  turnsOfChat,
  turnsOfMessages,
  turnsOfResponses,
} from './opened-turns.ts'

/** A stored request as the chat shows it. */
export interface OpenedRequest {
  readonly options: Omit<ChatOptions, 'callerKey'>
  /** All messages but the last one, if that is of the user. */
  readonly turns: readonly Turn[]
  /** The last message of the user. */
  readonly draft: string
  /** The images of that message. */
  readonly images: readonly ChatImage[]
  /** What the chat cannot show, such as `files` or the name of a parameter. */
  readonly omitted: readonly string[]
}

/** Where a dialect has the same things. */
interface Names {
  readonly dialect: ChatDialectName
  readonly messages: string
  readonly turns: (value: unknown, omit: OmitPart) => OpenedTurns
  readonly system?: string
  readonly maxTokens: readonly string[]
  readonly stop?: string
  readonly seed?: string
  /** The path of the reasoning effort. */
  readonly effort: readonly [string, string?]
}

const dialects: Readonly<Record<string, Names>> = {
  '/chat/completions': {
    dialect: 'chat',
    messages: 'messages',
    turns: turnsOfChat,
    maxTokens: ['max_completion_tokens', 'max_tokens'],
    stop: 'stop',
    seed: 'seed',
    effort: ['reasoning_effort'],
  },
  '/messages': {
    dialect: 'messages',
    messages: 'messages',
    turns: turnsOfMessages,
    system: 'system',
    maxTokens: ['max_tokens'],
    stop: 'stop_sequences',
    effort: ['output_config', 'effort'],
  },
  '/responses': {
    dialect: 'responses',
    messages: 'input',
    turns: turnsOfResponses,
    system: 'instructions',
    maxTokens: ['max_output_tokens'],
    effort: ['reasoning', 'effort'],
  },
}

/** What every request of the chat sets itself. */
const ownMembers: readonly string[] = ['model', 'stream', 'stream_options', 'store']

/** Reads a stored request by the path of its endpoint. `undefined`: the chat has no such request. */
export function openedRequest(path: string, model: string, json: string): OpenedRequest | undefined {
  const end = Object.keys(dialects).find(name => path.endsWith(name))
  const body = objectOf(json)
  if (end === undefined || body === undefined) return undefined
  const names = dialects[end]!
  const omitted = new Set<string>()
  const omit = (what: string) => void omitted.add(what)
  const read = names.turns(body[names.messages], omit)
  const own = names.system === undefined ? '' : textIn(body[names.system], omit)
  const taken = new Set<string | undefined>([...ownMembers, names.messages, names.system])
  /** A member as text, if the chat can hold it; what it cannot hold is named at the end. */
  const member = (name: string | undefined, textOf: (value: unknown) => string | undefined): string => {
    const text = name === undefined ? undefined : textOf(body[name])
    if (text !== undefined) taken.add(name)
    return text ?? ''
  }
  const maxTokens = names.maxTokens.map(name => member(name, numberText)).find(text => text !== '') ?? ''
  const options = {
    dialect: names.dialect,
    model: typeof body.model === 'string' ? body.model : model,
    system: [own, ...read.system].filter(text => text !== '').join('\n\n'),
    temperature: member('temperature', numberText),
    topP: member('top_p', numberText),
    maxTokens,
    stop: member(names.stop, stopText),
    seed: member(names.seed, numberText),
    effort: member(names.effort[0], value => effortText(value, names)),
    tools: toolsOf(body.tools, omit),
  }
  taken.add('tools')
  for (const [name, value] of Object.entries(body)) if (value !== null && !taken.has(name)) omit(name)
  const last = read.turns.at(-1)
  const isDraft = last?.role === 'user'
  return {
    options,
    turns: isDraft ? read.turns.slice(0, -1) : read.turns,
    draft: isDraft ? last.text : '',
    images: (isDraft ? last.images : undefined) ?? [],
    omitted: [...omitted],
  }
}

function objectOf(json: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function numberText(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : undefined
}

/** The chat has one sequence per line. */
function stopText(value: unknown): string | undefined {
  const stops = typeof value === 'string' ? [value] : value
  return Array.isArray(stops) && stops.every(stop => typeof stop === 'string' && !stop.includes('\n'))
    ? stops.join('\n')
    : undefined
}

/** An object that has more than the effort is not all that the chat can send. */
function effortText(value: unknown, { dialect, effort: [, within] }: Names): string | undefined {
  if (within !== undefined && isObject(value) && Object.keys(value).some(name => name !== within))
    return undefined
  const effort = within === undefined ? value : isObject(value) ? value[within] : undefined
  return typeof effort === 'string' && chatDialects[dialect].efforts.includes(effort) ? effort : undefined
}

/** The functions; chat completions have them in a member `function`, the Messages API without a type. */
function toolsOf(value: unknown, omit: OmitPart): readonly ChatTool[] {
  return membersOf(value).flatMap(tool => {
    const { type = 'function' } = tool
    const called = isObject(tool.function) ? tool.function : tool
    const { name, description, parameters = called.input_schema, strict } = called
    if ((type !== 'function' && called.input_schema === undefined) || typeof name !== 'string') {
      omit('tools other than functions')
      return []
    }
    if (strict === true) omit('strict schemas of tools')
    return [
      {
        name,
        description: typeof description === 'string' ? description : '',
        parameters: JSON.stringify(isObject(parameters) ? parameters : noParameters, null, 2),
      },
    ]
  })
}

const noParameters = { type: 'object', properties: {} }
