import type { LimitRuleData } from '@sluice/core'
import { list, object } from '../shape/collections.ts'
import { choice, number, text } from '../shape/values.ts'

/** The shape of each field. The core checks their combinations. */
const rule = object<LimitRuleData>(
  {
    kind: {
      shape: choice('requests', 'tokens', 'concurrent', 'budget'),
      description: 'What the rule counts.',
      required: true,
    },
    limit: {
      shape: number({ above: 0 }, 'a number above 0'),
      description: 'Number of requests, tokens or concurrent requests; US dollars for a budget.',
      required: true,
    },
    per: {
      shape: choice('second', 'minute', 'hour', 'day', 'week', 'month', 'ever'),
      description:
        'The window. Requests and tokens: second, minute, hour, day. Budget: hour, day, week, month, ever. None for concurrent.',
    },
    currency: { shape: choice('usd'), description: 'Currency of a budget.' },
    unpriced: {
      shape: choice('refuse', 'allow'),
      description:
        'Of a budget: whether to refuse models without a price, or not to count them. Default `refuse`.',
    },
    scopes: {
      shape: list(
        text(
          "'key', 'user', 'model', 'gateway', or 'tag:' with a name",
          /^(key|user|model|gateway|tag:.+)$/s,
        ),
        {
          min: 1,
          of: 'scopes',
        },
      ),
      description: 'What is counted together. Default `["key"]`: each caller separately.',
    },
    models: {
      shape: list(text("a model's name, or a pattern such as 'test-*'"), {
        min: 1,
        of: "models' names or patterns",
      }),
      description: 'The models that the rule applies to, by name or pattern. Default: all.',
    },
    operations: {
      shape: list(choice('generate', 'embed', 'countTokens', 'rerank', 'moderate', 'complete'), {
        min: 1,
        of: 'operations',
      }),
      description: 'The operations that the rule applies to. Default: all but `countTokens`.',
    },
    mode: {
      shape: choice('enforce', 'dryRun'),
      description: '`dryRun` counts and reports, and never refuses. Default `enforce`.',
    },
  },
  "a rule, such as { kind: 'requests', limit: 60, per: 'minute' }",
)

export const limitsShape = list(rule, { of: 'rules' })
