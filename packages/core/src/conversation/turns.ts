import type { JsonObject, JsonValue } from '../protocol/chat.ts'

/** What every turn and part has: where it was in the request, and what the protocol does not name. */
export interface TurnOrigin {
  /** The path in the caller's request: `messages[2].content[0]`. Errors and adjustments name it. */
  readonly path: string
  /**
   * Members that the caller's protocol does not name, such as `cache_control`, each where the caller wrote it:
   * `{ image_url: { source: 1 } }` for one within `image_url`. They are passed on unread.
   */
  readonly extra?: JsonObject
  /**
   * The caller's names of members, by their names in chat completions: `{ 'image_url.url': 'source.url' }`. Absent in chat
   * completions, where they are the same. Share one object among all parts of a kind. See `memberPath`.
   */
  readonly members?: Readonly<Record<string, string>>
}

export interface TextTurnPart extends TurnOrigin {
  readonly kind: 'text'
  readonly text: string
}

/** Text in which the model declined to answer. */
export interface RefusalTurnPart extends TurnOrigin {
  readonly kind: 'refusal'
  readonly text: string
}

/** An image. Exactly one of `url` and `fileId` is set. */
export interface ImageTurnPart extends TurnOrigin {
  readonly kind: 'image'
  /** An `https:` or `data:` URL. */
  readonly url?: string
  /** The id of a file in the vendor's account. */
  readonly fileId?: string
  readonly detail?: string
}

/** Audio: either `data` with its `format`, or the `id` of an earlier answer. */
export interface AudioTurnPart extends TurnOrigin {
  readonly kind: 'audio'
  /** Base64. */
  readonly data?: string
  readonly format?: string
  /** The id of the audio of an earlier answer, which its vendor has stored. */
  readonly id?: string
}

/** A document. Exactly one of `data`, `url` and `fileId` is set in a valid request. */
export interface FileTurnPart extends TurnOrigin {
  readonly kind: 'file'
  /** Base64, or a `data:` URL. */
  readonly data?: string
  readonly url?: string
  readonly fileId?: string
  readonly filename?: string
}

/** A tool call of the model. `arguments` stays text: for a function it should be JSON, for a custom tool it is its input. */
export interface CallTurnPart extends TurnOrigin {
  readonly kind: 'call'
  /** Empty if `legacy`. */
  readonly id: string
  readonly tool: 'function' | 'custom'
  readonly name: string
  readonly arguments: string
  /** The deprecated `function_call` of chat, which has no id. */
  readonly legacy?: boolean
}

/** The result of a tool call. */
export interface ResultTurnPart extends TurnOrigin {
  readonly kind: 'result'
  /** The `id` of the call. Empty if `legacy`. */
  readonly callId: string
  /** Whether the tool failed; `undefined` if the protocol does not tell. */
  readonly isError?: boolean
  readonly parts: readonly (TextTurnPart | ImageTurnPart | FileTurnPart | OpaqueTurnPart)[]
  /** The deprecated message of role `function` of chat. It has no call id; the function is the `name` of its turn. */
  readonly legacy?: boolean
}

/** The reasoning of an earlier answer. */
export interface ReasoningTurnPart extends TurnOrigin {
  readonly kind: 'reasoning'
  /** The text, without any signature. */
  readonly text?: string
  /** Blocks with their signatures, as `reasoning_details` of chat: `format` names vendor and version, such as `acme-v1`. */
  readonly details: readonly JsonObject[]
  /** Whether only the vendor of their `format` may get the `details`: they have no form in chat completions. */
  readonly isVendors?: boolean
}

/** Something that only the vendor that made it can read: a signature, encrypted reasoning. It is sent back unchanged. */
export interface SealedTurnPart extends TurnOrigin {
  readonly kind: 'sealed'
  /** Whose models can read it, the same for every provider that serves them, such as `acme`. */
  readonly family: string
  /** A digest of the account, region or project that can open it; `undefined` if it is not known. */
  readonly realm?: string
  readonly value: JsonValue
}

/** A part of a kind that the gateway does not know. Only a target that speaks the caller's dialect can take it. */
export interface OpaqueTurnPart extends TurnOrigin {
  readonly kind: 'opaque'
  /** The name of the caller's dialect: `chat`. */
  readonly dialect: string
  /** The part as the caller wrote it. */
  readonly value: JsonValue
}

export type TurnPart =
  | TextTurnPart
  | RefusalTurnPart
  | ImageTurnPart
  | AudioTurnPart
  | FileTurnPart
  | CallTurnPart
  | ResultTurnPart
  | ReasoningTurnPart
  | SealedTurnPart
  | OpaqueTurnPart

/** What the result of a tool can hold. */
export type ResultPart = ResultTurnPart['parts'][number]

/** Who speaks in a turn. Results of tools are turns of their own, whatever the protocol calls them. */
export type TurnRole = 'system' | 'developer' | 'user' | 'assistant' | 'tool'

/**
 * One message of the conversation, in its place: nothing is merged, moved or left out. A provider does what its vendor needs,
 * such as alternating roles.
 */
export interface Turn extends TurnOrigin {
  readonly role: TurnRole
  readonly parts: readonly TurnPart[]
  /** The name of the participant, or that of the function whose result it is. */
  readonly name?: string
}
