import type { Config } from '../config/config.ts'

/** Something of a foreign configuration that is not in ours. It names the place and never the value. */
export interface Loss {
  /** Where it stands: `model_list[0].litellm_params.tags`. */
  readonly path: string
  readonly why: string
  /** What to do instead. */
  readonly mend: string
}

/** A variable of the environment that the configuration reads, and that has to be set anew. */
export interface MovedSecret {
  readonly name: string
  /** Where its value stood. */
  readonly path: string
}

/** What became of a foreign configuration. */
export interface Imported {
  readonly config: Config
  /** What has no equivalent. Each leaf of the input was read, or stands here, by its own path or that of what holds it. */
  readonly lost: readonly Loss[]
  /** What was carried and behaves in another way. */
  readonly notes: readonly string[]
  /** Secrets that stood in the file as text. */
  readonly secrets: readonly MovedSecret[]
}
