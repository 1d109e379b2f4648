import type { Message } from '../protocol/chat.ts'
import { addExtraMembers, isObject, messageMembers, type NamedMembers, partMembers } from './extra-members.ts'
import { memberPath } from './member-path.ts'
import type {
  AudioTurnPart,
  CallTurnPart,
  FileTurnPart,
  ImageTurnPart,
  ReasoningTurnPart,
  ResultTurnPart,
  Turn,
  TurnOrigin,
  TurnPart,
} from './turns.ts'

/** Something of a conversation that chat completions cannot express as it is. */
export interface ConversationLoss {
  /** The path in the caller's request. */
  readonly path: string
  /** What was done, or why it was dropped, in a few words. It never holds content of messages. */
  readonly why: string
  /**
   * `mapped`: expressed in another way. `hint`: dropped, and the answer is hardly another one. `content`: dropped, and the
   * answer may be another one.
   */
  readonly kind: 'mapped' | 'hint' | 'content'
}

/** A conversation as the messages of a chat completion. */
export interface ChatConversation {
  readonly messages: readonly Message[]
  /** Empty for turns of `chatToTurns`. */
  readonly losses: readonly ConversationLoss[]
  /** Returns the path in the caller's request for a path in the messages: `input[0]` for `messages[0]`. */
  pathOf(chatPath: string): string
}

/**
 * Returns turns as the messages of a chat completion, in order. Nothing is dropped silently: what chat completions cannot
 * express is in `losses`. The images and files of tool results follow in a message of the user, after the last result in a
 * row. A turn without content becomes no message, except that of a user or of the system, which then has an empty text.
 */
export function turnsToChat(turns: readonly Turn[]): ChatConversation {
  const writer = new MessageWriter()
  for (const turn of turns) writer.add(turn)
  writer.end()
  const { messages, origins, losses } = writer
  return { messages, losses, pathOf: path => pathIn(origins, path) }
}

type Fields = Record<string, unknown>

/** The turn or parts that the members of a message come from. */
interface MessageOrigin {
  /** The turn, or the result of a tool. */
  readonly of: TurnOrigin
  readonly content: readonly TurnOrigin[]
  readonly calls?: readonly TurnOrigin[]
  /** By the name of the member. */
  readonly members?: Readonly<Record<string, TurnPart>>
}

const onlyText = 'this model takes only text here'
const fromNow = 'The images and files of this result follow in the next message of the user.'

class MessageWriter {
  readonly messages: Message[] = []
  readonly origins: MessageOrigin[] = []
  readonly losses: ConversationLoss[] = []
  /** Images and files of results that wait for the last result in a row. */
  #media: { readonly result: ResultTurnPart; readonly parts: readonly (ImageTurnPart | FileTurnPart)[] }[] =
    []

  add(turn: Turn): void {
    switch (turn.role) {
      case 'system':
      case 'developer':
        this.end()
        this.#system(turn)
        break
      case 'user':
      case 'tool':
        this.#user(turn)
        break
      case 'assistant':
        this.end()
        this.#assistant(turn)
        break
    }
  }

  /** Adds the images and files of the results before. */
  end(): void {
    if (this.#media.length === 0) return
    const content: Fields[] = []
    const origins: TurnOrigin[] = []
    for (const { result, parts } of this.#media) {
      const text = `Images and files of the result of the tool call '${result.callId}':`
      content.push({ type: 'text', text })
      origins.push(result)
      for (const part of parts) this.#push(content, origins, part)
    }
    const { result } = this.#media[0]!
    this.#media = []
    this.#message({ role: 'user', content }, { of: result, content: origins })
  }

  #system(turn: Turn): void {
    const { role, name } = turn
    const [content, origins] = this.#content(turn.parts, part => {
      if (part.kind === 'text' || part.kind === 'opaque') return true
      this.#lose(part, onlyText, 'content')
      return false
    })
    if (content.length === 0 && turn.parts.length > 0) return
    this.#turn(turn, { role, content: plain(content) ?? '', ...given('name', name) }, { content: origins })
  }

  /** Results come first, as messages of their own. */
  #user(turn: Turn): void {
    const results = turn.parts.filter(part => part.kind === 'result')
    for (const result of results) this.#result(result, turn)
    const others = results.length === 0 ? turn.parts : turn.parts.filter(part => part.kind !== 'result')
    if (others.length === 0 && (results.length > 0 || turn.role === 'tool')) return
    this.end()
    const [content, origins] = this.#content(others, part => {
      switch (part.kind) {
        case 'text':
        case 'image':
        case 'audio':
        case 'file':
        case 'opaque':
          return true
        case 'sealed':
          this.#loseSealed(part)
          return false
        default:
          this.#lose(part, 'this model takes none from the user', 'content')
          return false
      }
    })
    if (content.length === 0 && others.length > 0) return
    const message = { role: 'user', content: plain(content) ?? '', ...given('name', turn.name) }
    this.#turn(turn, message, { content: origins })
  }

  #result(result: ResultTurnPart, turn: Turn): void {
    const media: (ImageTurnPart | FileTurnPart)[] = []
    const [content, origins] = this.#content(result.parts, part => {
      if (part.kind === 'image' || part.kind === 'file') media.push(part)
      else return true
      return false
    })
    const sendable = media.filter(part => this.#isSendable(part))
    for (const part of sendable) {
      this.#lose(part, 'sent in a message of the user after the results', 'mapped')
    }
    if (sendable.length > 0) {
      content.push({ type: 'text', text: fromNow })
      origins.push(result)
      this.#media.push({ result, parts: sendable })
    }
    if (result.isError === true) {
      this.#lose(result, 'no result of a tool can be marked as failed', 'hint')
    }
    const { name } = turn
    const texts = plain(content)
    const message: Fields = result.legacy
      ? { role: 'function', name: name ?? '', content: result.parts.length === 0 ? null : textsOf(content) }
      : { role: 'tool', tool_call_id: result.callId, content: texts ?? '', ...given('name', name) }
    const members = messageMembers[result.legacy ? 'function' : 'tool']
    this.#extra(message, turn, members)
    this.#extra(message, result, members)
    this.#message(message, { of: result, content: origins })
  }

  #assistant(turn: Turn): void {
    const reasoning = turn.parts.filter(part => part.kind === 'reasoning')
    const calls = turn.parts.filter(part => part.kind === 'call')
    const audio = turn.parts.find(part => part.kind === 'audio' && part.id !== undefined) as
      | AudioTurnPart
      | undefined
    const refusal = lastRefusal(turn.parts)
    let wasCalled: CallTurnPart | undefined
    const [content, origins] = this.#content(turn.parts, part => {
      switch (part.kind) {
        case 'call':
          wasCalled = part
          return false
        case 'text':
        case 'refusal':
          if (wasCalled !== undefined) this.#lose(part, 'moved before the tool calls', 'mapped')
          return part !== refusal
        case 'opaque':
          return true
        case 'reasoning':
          return false
        case 'sealed':
          this.#loseSealed(part)
          return false
        default:
          if (part !== audio) this.#lose(part, 'this model takes none from the assistant', 'content')
          return false
      }
    })
    const [toolCalls, callOrigins, legacy] = this.#calls(calls)
    const thoughts = this.#reasoning(reasoning)
    const isEmpty =
      content.length + toolCalls.length + Object.keys(thoughts).length === 0 &&
      refusal === undefined &&
      legacy === undefined &&
      audio === undefined
    if (isEmpty) return
    const members: Record<string, TurnPart> = {}
    const message: Fields = {
      role: 'assistant',
      content: plain(content) ?? null,
      ...given('name', turn.name),
    }
    if (refusal !== undefined) {
      message.refusal = refusal.text
      members.refusal = refusal
    }
    if (audio !== undefined) {
      message.audio = this.#object({ id: audio.id }, audio, partMembers.audio)
      members.audio = audio
    }
    if (toolCalls.length > 0) message.tool_calls = toolCalls
    if (legacy !== undefined) {
      const { name, arguments: text } = legacy
      message.function_call = this.#object({ name, arguments: text }, legacy, partMembers.function_call)
      members.function_call = legacy
    }
    for (const [name, value] of Object.entries(thoughts)) {
      message[name] = value
      members[name] = reasoning[0]!
    }
    this.#turn(turn, message, { content: origins, calls: callOrigins, members })
  }

  #calls(calls: readonly CallTurnPart[]): [Fields[], TurnOrigin[], CallTurnPart | undefined] {
    const toolCalls: Fields[] = []
    const origins: TurnOrigin[] = []
    let legacy: CallTurnPart | undefined
    for (const call of calls) {
      if (call.legacy) {
        if (legacy !== undefined) this.#lose(call, "a message has one 'function_call'", 'content')
        else legacy = call
        continue
      }
      const { id, tool, name, arguments: text } = call
      const inner = tool === 'function' ? { name, arguments: text } : { name, input: text }
      toolCalls.push(this.#object({ id, type: tool, [tool]: inner }, call, partMembers[tool]))
      origins.push(call)
    }
    return [toolCalls, origins, legacy]
  }

  #reasoning(parts: readonly ReasoningTurnPart[]): Fields {
    const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
    const details = parts.flatMap(part => (part.isVendors === true ? [] : part.details))
    for (const part of parts) {
      if (part.isVendors === true) this.#loseSealed({ path: memberPath(part, 'reasoning_details') })
      for (const key of Object.keys(part.extra ?? {})) this.#loseMember(part, key)
    }
    return {
      ...(texts.length === 0 ? {} : { reasoning_content: texts.join('\n\n') }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
    }
  }

  /** Returns the parts that chat completions take, and where each comes from. Reports the others. */
  #content(
    parts: readonly TurnPart[],
    isContent: (part: TurnPart) => boolean,
  ): [content: Fields[], origins: TurnOrigin[]] {
    const content: Fields[] = []
    const origins: TurnOrigin[] = []
    for (const part of parts) {
      if (isContent(part) && this.#isSendable(part)) this.#push(content, origins, part)
    }
    return [content, origins]
  }

  #push(content: Fields[], origins: TurnOrigin[], part: TurnPart): void {
    const fields = this.#part(part)
    if (fields === undefined) return
    content.push(fields)
    origins.push(part)
  }

  /** Whether chat completions take the part at all. Reports it otherwise. */
  #isSendable(part: TurnPart): boolean {
    const why = whyNotSendable(part)
    if (why !== undefined) this.#lose(part, why, 'content')
    return why === undefined
  }

  #part(part: TurnPart): Fields | undefined {
    switch (part.kind) {
      case 'text':
        return this.#object({ type: 'text', text: part.text }, part, partMembers.text)
      case 'refusal':
        return this.#object({ type: 'refusal', refusal: part.text }, part, partMembers.refusal)
      case 'image': {
        const { url, detail } = part
        const isKnown = detail === undefined || detail === 'auto' || detail === 'low' || detail === 'high'
        if (!isKnown) {
          this.losses.push({ path: memberPath(part, 'image_url.detail'), why: 'high', kind: 'mapped' })
        }
        const image = { url, ...given('detail', isKnown ? detail : 'high') }
        return this.#object({ type: 'image_url', image_url: image }, part, partMembers.image_url)
      }
      case 'audio': {
        const { data, format } = part
        return this.#object(
          { type: 'input_audio', input_audio: { data, format } },
          part,
          partMembers.input_audio,
        )
      }
      case 'file': {
        const { data, fileId, filename } = part
        const file = {
          ...given('file_data', data),
          ...given('file_id', fileId),
          ...given('filename', filename),
        }
        return this.#object({ type: 'file', file }, part, partMembers.file)
      }
      case 'opaque':
        return isObject(part.value) ? { ...part.value } : undefined
      default:
        return undefined
    }
  }

  #object(fields: Fields, part: TurnOrigin, named: NamedMembers): Fields {
    this.#extra(fields, part, named)
    return fields
  }

  #extra(fields: Fields, part: TurnOrigin, named: NamedMembers): void {
    if (part.extra === undefined) return
    for (const key of addExtraMembers(fields, part.extra, named) ?? []) this.#loseMember(part, key)
  }

  #turn(turn: Turn, message: Fields, origin: Omit<MessageOrigin, 'of'>): void {
    this.#extra(message, turn, messageMembers[turn.role])
    this.#message(message, { of: turn, ...origin })
  }

  #message(message: Fields, origin: MessageOrigin): void {
    this.messages.push(message as unknown as Message)
    this.origins.push(origin)
  }

  #lose({ path }: TurnOrigin, why: string, kind: ConversationLoss['kind']): void {
    this.losses.push({ path, why, kind })
  }

  #loseMember(part: TurnOrigin, member: string): void {
    const why = 'another member has this name'
    this.losses.push({ path: memberPath(part, member), why, kind: 'hint' })
  }

  #loseSealed(part: TurnOrigin): void {
    this.#lose(part, 'only the vendor that made it can read it', 'hint')
  }
}

/** Why a part is content of no message of chat completions. */
function whyNotSendable(part: TurnPart): string | undefined {
  switch (part.kind) {
    case 'image':
      return part.url === undefined ? 'this model takes images by URL or as data' : undefined
    case 'audio':
      if (part.data === undefined) return 'this model takes audio as data'
      return part.format === 'wav' || part.format === 'mp3'
        ? undefined
        : 'this model takes audio as wav and mp3'
    case 'file':
      return part.url === undefined ? undefined : 'this model takes files as data or by id'
    case 'opaque':
      return part.dialect === 'chat' ? undefined : 'only a model with an API of this kind can take it'
    default:
      return undefined
  }
}

/** The refusal that is a member of its message: the only one, after all other content, as vendors write it. */
function lastRefusal(parts: readonly TurnPart[]): (TurnPart & { readonly kind: 'refusal' }) | undefined {
  const said = parts.filter(({ kind }) => kind === 'text' || kind === 'refusal' || kind === 'opaque')
  const refusals = said.filter(part => part.kind === 'refusal')
  const [only] = refusals
  if (only === undefined || refusals.length > 1 || said.at(-1) !== only) return undefined
  return only.text === '' || only.extra !== undefined ? undefined : only
}

/** A single text without further members is a string; `undefined` if there is no content. */
function plain(content: readonly Fields[]): string | readonly Fields[] | undefined {
  const [only] = content
  if (only === undefined) return undefined
  const isPlain = content.length === 1 && only.type === 'text' && Object.keys(only).length === 2
  return isPlain ? (only.text as string) : content
}

function textsOf(content: readonly Fields[]): string {
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
}

function given(name: string, value: unknown): Fields {
  return value === undefined ? {} : { [name]: value }
}

const messagePath = /^messages\[(\d+)\](?:\.(.+))?$/s
const listMember = /^(content|tool_calls)\[(\d+)\](?:\.(.+))?$/s
const singleMember = /^(\w+)(?:\.(.+))?$/s

function pathIn(origins: readonly MessageOrigin[], path: string): string {
  const [, index, rest] = messagePath.exec(path) ?? []
  const origin = index === undefined ? undefined : origins[Number(index)]
  if (origin === undefined) return path
  if (rest === undefined) return origin.of.path
  const [, list, at, below] = listMember.exec(rest) ?? []
  if (list !== undefined) {
    const part = (list === 'content' ? origin.content : origin.calls)?.[Number(at)]
    return part === undefined ? origin.of.path : below === undefined ? part.path : memberPath(part, below)
  }
  const [, name = '', inner] = singleMember.exec(rest) ?? []
  if (name === 'content' && inner === undefined) {
    const [only, second] = origin.content
    return only !== undefined && second === undefined ? only.path : origin.of.path
  }
  const part = Object.hasOwn(origin.members ?? {}, name) ? origin.members?.[name] : undefined
  if (part === undefined) return memberPath(origin.of, rest)
  if (part.kind === 'reasoning') return memberPath(part, rest)
  return inner === undefined ? part.path : memberPath(part, inner)
}
