/** The alerts that the console shows: what `createAlerts` of `@sluice/alerts` returns. */
export interface ConsoleAlerts {
  /** Returns the latest alerts of this process, newest first. */
  recent(): readonly ConsoleAlert[]
}

/** An alert, and whether it was delivered. */
export interface ConsoleAlert {
  readonly alert: {
    readonly id: string
    /** Such as `budget` or `target_down`. */
    readonly kind: string
    /** One line for people. `&lt;`, `&gt;` and `&amp;` stand for their characters, as in Slack's messages. */
    readonly text: string
    /** Milliseconds since 1970. */
    readonly at: number
    /** Of a budget: who spends from it, by scope. */
    readonly subject?: Readonly<Record<string, string>>
    /** Of a budget: its rule as source text, which `text` ends with in parentheses. */
    readonly rule?: string
  }
  /** `delivered`: at least one webhook has accepted it. `failed`: none has. */
  readonly delivery: 'sending' | 'delivered' | 'failed' | 'no_webhooks'
  readonly webhooks: number
  /** Why webhooks did not accept it. Without secrets: the page shows them. */
  readonly failures: readonly string[]
}
