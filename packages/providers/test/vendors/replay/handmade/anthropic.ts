import type { Handmade } from '../handmade.ts'
import { asTool } from './anthropic/as-tool.ts'
import { blocks } from './anthropic/blocks.ts'
import { cutStreams, failingStreams } from './anthropic/broken-streams.ts'
import { finishes, refusals } from './anthropic/finishes.ts'
import { odd } from './anthropic/odd.ts'
import { page, refused } from './anthropic/refused.ts'

/** What was not recorded of Anthropic. */
export const anthropicHandmade: readonly Handmade[] = [
  ...refused,
  page,
  ...failingStreams,
  ...cutStreams,
  ...finishes,
  ...refusals,
  ...blocks,
  ...asTool,
  ...odd,
]
