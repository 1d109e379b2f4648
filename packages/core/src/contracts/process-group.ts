/**
 * The processes of a service with workers, as one of them sees it: `workerGroup()` of `@sluice/node`. What is sent is a value of
 * JSON. In a process without workers the group has one member.
 */
export interface ProcessGroup {
  /**
   * Answers the questions of all members about a topic. A topic has one answer per process: the last one that was set. `merge` sums
   * the answers of members that have ended, which are passed on as one more answer; without it they are dropped.
   */
  answer(
    topic: string,
    answer: (question: unknown) => unknown,
    merge?: (answers: readonly unknown[]) => unknown,
  ): void
  /** Asks all members about a topic, this one too. One that does not respond within 2 seconds is left out, or has its last answer. */
  ask(topic: string, question?: unknown): Promise<readonly unknown[]>
  /** Sends a message to all other members. */
  publish(topic: string, message: unknown): void
  /** Receives the messages of other members. Returns how to end that. */
  subscribe(topic: string, receive: (message: unknown) => void): () => void
}
