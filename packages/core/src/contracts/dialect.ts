import type { GenerateRequest } from '../conversation/generate-request.ts'
import type { GatewayError } from '../errors/errors.ts'
import type {
  ChatRequest,
  CompletionUsage,
  FinishReason,
  JsonObject,
  Logprobs,
  Usage,
} from '../protocol/chat.ts'
import type { Draft, RequestHeaders } from './draft.ts'
import type { EmbeddingVector, EmbedRequest } from './embedding.ts'
import type { LimitState } from './limiter.ts'
import type { ModerateRequest } from './moderation.ts'
import type { Outline } from './outline.ts'
import type {
  Adjustment,
  NativeEvent,
  PartialCompletion,
  PartialMessage,
  ProviderSpecificFields,
  RequestExtension,
} from './provider.ts'
import type { RerankRequest, RerankResult } from './rerank.ts'
import type { ModelCard } from './route.ts'

/** How strictly a dialect validates requests. */
export interface ReadRules {
  /** `schema` validates types and ranges. `live` adds the rules that hosted services enforce. */
  readonly profile: 'schema' | 'live'
  /** Whether unknown top-level fields pass or are rejected. */
  readonly unknownParameters: 'pass' | 'reject'
  /** Whether the gateway can run responses in the background. Default `false`. */
  readonly runsInBackground?: boolean
}

/** A value beyond the protocol that a request uses. */
export interface FoundExtension {
  readonly name: RequestExtension
  /** Where the request uses it first: `messages[0].content[1].type`. */
  readonly path: string
}

/** Changes a request for a target whose provider cannot get it as it is. */
export type ExtensionRewrite = (input: ChatRequest) => {
  readonly input: ChatRequest
  readonly adjustments: readonly Adjustment[]
}

/** Returns how to drop or map extensions that a provider does not accept. `undefined`: one of them can be neither. */
export type ExtensionRemover = (missing: readonly RequestExtension[]) => ExtensionRewrite | undefined

/** Decides whether a request may use extensions. */
export interface ExtensionPolicy {
  /** Whether any may: a target accepts some, or they may be dropped. */
  readonly possible: boolean
  /** Whether every target gets the request as it came: what only its vendor can judge need not be validated. */
  readonly passes: boolean
  /** Returns whether a target is left for a request that uses these. */
  accept(found: readonly FoundExtension[], remover: ExtensionRemover): boolean
}

/** A request that a dialect has read. */
export interface ReadRequest {
  readonly request: GenerateRequest
  /** The names of top-level fields that the protocol does not define. Default: none. */
  readonly unknownFields?: readonly string[] | undefined
  /**
   * Where the request has a tool that the vendor of the protocol runs itself: `tools[2].type`. A caller who may not use
   * `server_tools` gets an answer without it, or a 400 if the request needs it. Default: it has none.
   */
  readonly serverTool?: string | undefined
  /**
   * Whether the maximum output is lowered, and reported, for models that support less, where the request is translated. Default:
   * such models are not called.
   */
  readonly lowersMaxOutput?: boolean | undefined
  /** Checks that come after those of the model's capabilities. Throws `GatewayError` 400. */
  finish?(): void
}

/** The fields that are the same everywhere in an answer. */
export interface AnswerIdentity {
  readonly id: string
  /** Unix time in seconds. */
  readonly created: number
  /** The public name of the model that answered. */
  readonly model: string
  /** The id of the request, for errors within a stream. */
  readonly requestId?: string | undefined
  /** Estimates the tokens of the prompt, for what is sent before the vendor has counted them. */
  promptTokens?(): number
  /** Reports a part of the answer that the dialect cannot express. Of a stream, the log has it, and the headers have not. */
  adjusted?(adjustment: Adjustment): void
  /** Returns a short digest of who alone can read the reasoning of the answer: a vendor in an account, region or project. */
  realm?(): string | undefined
  /** Returns the current Unix time in seconds. */
  now?(): number
  /**
   * Returns the cost of the answer so far in US dollars, as the ledger records it, for `usage.cost`. `undefined`: no price is
   * known. Absent: the caller does not get it.
   */
  cost?(): number | undefined
}

/** A complete answer of a vendor, before a dialect writes it. */
export interface CompleteAnswer {
  readonly usage: Usage
  /** Returns the answer by choice, as the vendor has it: the texts of a choice are joined, its calls follow. */
  completion(): PartialCompletion
  /** Returns the answer in the order in which it was generated, as the deltas of a stream would have it. */
  deltas(): readonly AnswerDelta[]
}

/** What one read from the upstream adds to one choice of an answer. Its tool calls have indices and ids, also where the vendor omits them. */
export interface AnswerDelta {
  /** The choice. */
  readonly index: number
  /** Whether it is the first delta of the choice. */
  readonly first: boolean
  readonly delta: PartialMessage
  readonly logprobs: Logprobs | null
  /** Why the choice has ended. Set on its last delta only, once the vendor has ended its stream. */
  readonly finish: FinishReason | null
  /** What the vendor adds to the choice. What it adds to the message is in `delta`. */
  readonly fields?: ProviderSpecificFields
}

/** What a vendor tells about the whole of an answer. */
export interface AnswerOrigin {
  readonly serviceTier: string | undefined
  readonly systemFingerprint: string | null
  /** Removes and returns what the vendor has added to its chunks since the last call; `undefined` if there is nothing. */
  takeFields(): ProviderSpecificFields | undefined
}

/** Writes a streamed answer as text, piece by piece. */
export interface AnswerStreamWriter {
  /** Returns what precedes all content. Called once, before any other. It may be empty. */
  open(): string
  /**
   * Returns the events of a vendor that speaks the dialect, with what `pass` of the dialect changes. `opened`: the text of `open`
   * was sent already, and takes the place of the vendor's own opening. Only called for streams of such vendors, in place of `push`;
   * `end` follows, without deltas.
   */
  pass?(events: readonly NativeEvent[], opened: boolean): string
  /** Returns the text of what one upstream read added. It may be empty. */
  push(deltas: readonly AnswerDelta[], origin: AnswerOrigin): string
  /** Returns the end of a complete stream, with the deltas that are left. */
  end(deltas: readonly AnswerDelta[], origin: AnswerOrigin, usage: CompletionUsage): string
  /** Ends the output, as `end` does, and returns the response. `close` then writes the end. Absent: it cannot be stored. */
  finish?(deltas: readonly AnswerDelta[], origin: AnswerOrigin, usage: CompletionUsage): FinishedResponse
  /** Returns the end of the stream, after `finish`. `stored`: whether the gateway has stored the response. */
  close?(stored: boolean): string
  /** Returns the end of a stream that broke: an error. `usage`: what the vendor has counted so far; absent if there was no output. */
  fail(error: GatewayError, usage?: Usage): string
  /** Returns the response as `fail` has written it; `undefined` before. Absent: it cannot run in the background. */
  failed?(): JsonObject | undefined
}

/** An error in the shape of a dialect. */
export interface DialectError {
  readonly status: number
  readonly body: unknown
  /** Further headers. They replace those of the error. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A model of `GET /models`, with what is known of it. */
export interface ListedModel extends ModelCard {
  /** The context length of its targets in tokens: the largest, if that of all of them is known. */
  readonly contextTokens?: number
  /** The maximum number of tokens of a response, likewise. */
  readonly maxOutputTokens?: number
}

/** How a protocol lists models: `GET /models` and `GET /models/{id}` have one path for all protocols. */
export interface DialectModels {
  /** Returns whether a request comes from a client of the protocol. */
  accepts(headers: RequestHeaders): boolean
  /** Returns the list of models. Throws `GatewayError` 400 for a query that is not valid. */
  list(models: readonly ListedModel[], query: URLSearchParams): object
  /** Returns one model. */
  show(model: ListedModel): object
}

/**
 * The endpoint of a protocol that clients speak. A dialect is one with pure functions that read a request and write an answer.
 * Routes, limits, prices and the ledger know nothing of it.
 */
export interface DialectEndpoint {
  /** A short name for logs, metrics and the ledger: `chat`. */
  readonly name: string
  /** The path of the endpoint below the base path: `/chat/completions`. Requests are `POST`. */
  readonly path: string
  /** Looks at a parsed body that may be invalid. Never throws. */
  outline(body: JsonObject, bytes: number, headers?: RequestHeaders): Outline
  /** Returns an error in the shape of the protocol. */
  error(error: GatewayError, requestId: string): DialectError
  /** Returns the headers that tell the state of limits. `now`: milliseconds since 1970. Default: `x-ratelimit-*`. */
  limitHeaders?(limits: readonly LimitState[], now: number): Readonly<Record<string, string>>
  /** Whether clients try to open a WebSocket on the path first. They get a 426, which lets them use HTTP. Default `false`. */
  readonly triesWebSocket?: boolean
  /** How requests refer to what is stored. Default: they cannot. */
  readonly state?: DialectState
  /** A header with the id of the request, besides `x-request-id`, in lower case. Default: none. */
  readonly requestIdHeader?: string
  /**
   * Lists models for clients of this protocol, with its errors. The first dialect that accepts a request counts. Default: they
   * are listed as in the chat completions API.
   */
  readonly models?: DialectModels
}

/** What a request refers to of earlier requests and their responses. */
export interface StateReferences {
  /** The id of the response that it continues. */
  readonly previousId: string | undefined
  /** The ids of items that it names instead of sending them. */
  readonly itemIds: readonly string[]
}

/** A request with its response, as they are stored for the requests that continue them. */
export interface StoredTurn {
  readonly id: string
  /** The id of the response that this one continues. */
  readonly previousId: string | null
  /** The items of the request, without those before it. */
  readonly input: readonly JsonObject[]
  /** The items of the response, as the next request sends them. */
  readonly output: readonly JsonObject[]
  /** The response as the caller got it. */
  readonly response: JsonObject
  /** Names the target that answered. Absent: it is not known. */
  readonly target?: string | undefined
  /** Whether the caller has deleted it: then only a response that already continued it may read it. */
  readonly deleted?: boolean
  /** How far a response in the background has come. Absent: it ran while its caller waited. */
  readonly background?: StoredRun
}

/** How far a response in the background has come. */
export interface StoredRun {
  /** `failed`: it cannot be continued, because it failed or was cancelled. */
  readonly state: 'running' | 'ended' | 'failed'
  /** Whether its events are stored. */
  readonly stream: boolean
  /** The number of the first event of each part in which its events are stored. */
  readonly parts: readonly number[]
}

/** A response that has ended, before it is sent. */
export interface FinishedResponse {
  /** Returns the response. `stored`: whether the gateway has stored it. */
  response(stored: boolean): JsonObject
  /** Returns the response as JSON text, where a vendor wrote it. Default: `JSON.stringify` of it. */
  text?(stored: boolean): string
  /** The items of its output for the next request: also with the reasoning that the caller did not ask for. */
  readonly items: readonly JsonObject[]
}

/** How a dialect lets requests refer to what the gateway has stored. */
export interface DialectState {
  /** Returns what a body refers to. Never throws. */
  references(body: JsonObject): StateReferences
  /** Whether a body allows to store its response. */
  allowsStoring(body: JsonObject): boolean
  /**
   * Returns the draft with the conversation in place of the references.
   *
   * @param chain - the turns before it, the oldest first.
   * @param items - the items that it names, by their ids.
   */
  restore(draft: Draft, chain: readonly StoredTurn[], items: ReadonlyMap<string, JsonObject>): Draft
  /** Returns the items of a request for its stored turn, each with an id. */
  inputOf(draft: Draft, newId: () => string): readonly JsonObject[]
  /** Returns a complete answer, before it is sent. Throws what `write` throws. */
  finish(
    answer: CompleteAnswer,
    identity: AnswerIdentity,
    request: GenerateRequest,
    newId: () => string,
  ): FinishedResponse
  /** Returns the answer of a vendor that speaks the dialect, before it is sent. */
  finishNative(native: string, identity: AnswerIdentity, request: GenerateRequest): FinishedResponse
  /** How responses run without the connection of their caller. Absent: they cannot. */
  readonly background?: DialectBackground
}

/** How a dialect lets responses run in the background: the caller gets their id at once, and reads them later. */
export interface DialectBackground {
  /** Returns whether a body asks for it. */
  wants(body: JsonObject): boolean
  /** Returns the response of a request that waits to be run. */
  queue(identity: AnswerIdentity, request: GenerateRequest): JsonObject
  /** Returns a queued response, once it runs. */
  start(response: JsonObject): JsonObject
  /** Returns a response after an error. One of the reason `client_disconnected` says that it was cancelled. */
  fail(response: JsonObject, error: GatewayError): JsonObject
  /** What ends every stream. */
  readonly endMark: string
}

/** A dialect in which clients ask for a generated answer. */
export interface GenerateDialect extends DialectEndpoint {
  /** `complete`: its requests are only passed on, to providers with `complete`. They have the same operation. */
  readonly operation: 'generate' | 'complete'
  /**
   * Validates a request. Throws `GatewayError` 400, with the field as the caller knows it. A value that only the vendors of some
   * targets understand is valid where `extensions` accepts it.
   */
  read(draft: Draft, rules: ReadRules, extensions: ExtensionPolicy): ReadRequest
  /** Returns the id of an answer, given a random one. */
  answerId(id: string): string
  /**
   * Writes a complete answer as JSON text. `newId` returns a random id, for what needs one within the answer. Throws `UpstreamError` of kind `garbled`
   * for an answer without a choice.
   */
  write(
    answer: CompleteAnswer,
    identity: AnswerIdentity,
    request: GenerateRequest,
    newId: () => string,
  ): string
  /** Returns the answer of a vendor that speaks the dialect, which is JSON text, under the public name of the model. */
  pass?(native: string, identity: AnswerIdentity, request: GenerateRequest): string
  /** Returns a writer for one streamed answer. `newId` returns a random id, as for `write`. */
  stream(identity: AnswerIdentity, request: GenerateRequest, newId: () => string): AnswerStreamWriter
  /** Returns the end of a stored stream that is cut off while it is sent: an error. */
  streamError(error: GatewayError): string
}

/** A dialect in which clients ask for the number of tokens of a prompt. */
export interface CountDialect extends DialectEndpoint {
  readonly operation: 'countTokens'
  /** The name of the dialect whose requests are counted, where that is another one: `messages`. Default: its own name. */
  readonly counts?: string
  /** Validates a request, as that of a `GenerateDialect` does. */
  read(draft: Draft, rules: ReadRules, extensions: ExtensionPolicy): ReadRequest
  /** Writes the number of tokens as JSON text. */
  write(tokens: number): string
}

/** The embeddings of a request, before a dialect writes them. */
export interface EmbedAnswer {
  /** The public name of the model. */
  readonly model: string
  /** In the order of the inputs. */
  readonly vectors: readonly EmbeddingVector[]
  readonly promptTokens: number
  /** The cost in US dollars, for `usage.cost`. Absent: no price is known, or the caller does not get it. */
  readonly cost?: number | undefined
}

/** A dialect in which clients ask for embeddings. */
export interface EmbedDialect extends DialectEndpoint {
  readonly operation: 'embed'
  /** Validates a request. Throws `GatewayError` 400. */
  read(draft: Draft, rules: ReadRules): EmbedRequest
  /** Writes the answer as JSON text, with vectors in the encoding of the request. */
  write(answer: EmbedAnswer, request: EmbedRequest): string
}

/** The order of the documents of a request, before a dialect writes it. */
export interface RerankAnswer {
  /** A new id. */
  readonly id: string
  /** The public name of the model. */
  readonly model: string
  /** The most relevant first, no more than the caller asked for. */
  readonly results: readonly RerankResult[]
  /** As the vendor counts them. Absent: it does not. */
  readonly promptTokens?: number | undefined
  /** As the vendor bills them. Absent: it bills none. */
  readonly searchUnits?: number | undefined
}

/** A dialect in which clients ask for an order of documents. */
export interface RerankDialect extends DialectEndpoint {
  readonly operation: 'rerank'
  /** Validates a request. Throws `GatewayError` 400. */
  read(draft: Draft, rules: ReadRules): RerankRequest
  /** Writes the answer as JSON text. */
  write(answer: RerankAnswer, request: RerankRequest): string
}

/** A result of moderation, before a dialect writes it. */
export interface ModerateAnswer {
  /** The public name of the model. */
  readonly model: string
  /** The JSON text of the vendor's answer. */
  readonly native: string
}

/** A dialect in which clients ask for a moderation of texts or images. */
export interface ModerateDialect extends DialectEndpoint {
  readonly operation: 'moderate'
  /** Validates a request. Throws `GatewayError` 400. */
  read(draft: Draft, rules: ReadRules): ModerateRequest
  /** Writes the answer as JSON text. */
  write(answer: ModerateAnswer, request: ModerateRequest): string
}

/** A protocol that clients speak. */
export type Dialect = GenerateDialect | CountDialect | EmbedDialect | RerankDialect | ModerateDialect
