export { answer } from './answer.ts'
export { answerStoreConformance } from './answer-store-conformance.ts'
export type { AnswerContent, ChoiceContent, ToolCallContent } from './bodies.ts'
export { chunks, completion, sse, usage } from './bodies.ts'
export type { ConformanceCase } from './conformance-case.ts'
export type { Direction, FaultProxy } from './fault-proxy.ts'
export { faultProxy } from './fault-proxy.ts'
export type { Fault } from './fault-relay.ts'
export type { HeaderPairs, HeadersToSend } from './headers.ts'
export { keyStoreConformance } from './key-store-conformance.ts'
export { ledgerConformance } from './ledger-conformance.ts'
export type { LimitStoreCase, MakeLimitStore } from './limit-store-case.ts'
export { limitStoreConformance } from './limit-store-conformance.ts'
export type { Misbehaviour } from './misbehaviours.ts'
export { misbehavingUpstream, misbehaviours } from './misbehaviours.ts'
export { random } from './random.ts'
export type { ConnectionEnd, RawClient, RawClientOptions } from './raw-client.ts'
export { rawClient } from './raw-client.ts'
export type { RawExchange, RawRequestOptions } from './raw-request.ts'
export { rawRequest } from './raw-request.ts'
export type { RawResponse } from './raw-response.ts'
export type { RecordedRequest } from './recorded-request.ts'
export { refusedPort } from './refused-port.ts'
export type { RequestParts } from './request-text.ts'
export { requestBytes } from './request-text.ts'
export type {
  AnswerStep,
  BodyStep,
  CutStep,
  EarlyReaction,
  FloodStep,
  HeadStep,
  Pace,
  RawStep,
  Reaction,
  ReplyStep,
  ResetStep,
  Script,
  Step,
  Steps,
  StreamStep,
} from './script.ts'
export type { Split } from './split.ts'
export { splitBytes } from './split.ts'
export type { ReadChunk, ReadEvent, SseLeniency, SseTranscript } from './sse-reader.ts'
export { readSse } from './sse-reader.ts'
export type { SseSource } from './sse-source.ts'
export {
  body,
  cut,
  drip,
  early,
  end,
  flood,
  garbage,
  hang,
  head,
  raw,
  redirect,
  reply,
  reset,
  stream,
  unsolicited,
  wait,
} from './steps.ts'
export type { Upstream } from './upstream.ts'
export { startUpstream } from './upstream.ts'
