import type { ProcessGroup } from '@sluice/core/store'

type AnswerTopic = (question: unknown) => unknown
type Merge = (answers: readonly unknown[]) => unknown
type Receive = (message: unknown) => void

/** How messages reach the other members of a group. */
interface GroupLink {
  ask(topic: string, question: unknown): Promise<readonly unknown[]>
  publish(topic: string, message: unknown): void
}

/** What this process answers and receives, whatever its role, which `serve` decides later. */
export class GroupTopics implements ProcessGroup {
  readonly #answers = new Map<string, AnswerTopic>()
  readonly #merges = new Map<string, Merge>()
  readonly #receivers = new Map<string, Set<Receive>>()
  #link: GroupLink | undefined

  /** Connects this process with the others; `undefined`: it is the only member again. */
  connect(link: GroupLink | undefined): void {
    this.#link = link
  }

  answer(topic: string, answer: AnswerTopic, merge?: Merge): void {
    this.#answers.set(topic, answer)
    if (merge === undefined) this.#merges.delete(topic)
    else this.#merges.set(topic, merge)
  }

  async ask(topic: string, question: unknown = null): Promise<readonly unknown[]> {
    if (this.#link !== undefined) return this.#link.ask(topic, question)
    return [await this.answerOf(topic, question)]
  }

  publish(topic: string, message: unknown): void {
    this.#link?.publish(topic, message)
  }

  subscribe(topic: string, receive: Receive): () => void {
    const receivers = this.#receivers.get(topic) ?? new Set()
    this.#receivers.set(topic, receivers.add(receive))
    return () => receivers.delete(receive)
  }

  /** The topics whose answers are kept after the process that gave them has ended. */
  get kept(): readonly string[] {
    return [...this.#merges.keys()]
  }

  /** Returns this process's answer; `null` if it has none. */
  async answerOf(topic: string, question: unknown): Promise<unknown> {
    return (await this.#answers.get(topic)?.(question)) ?? null
  }

  /** Returns one answer for several; `undefined` if the topic has no sum. */
  merge(topic: string, answers: readonly unknown[]): unknown {
    return this.#merges.get(topic)?.(answers)
  }

  receive(topic: string, message: unknown): void {
    for (const receive of this.#receivers.get(topic) ?? []) receive(message)
  }
}
