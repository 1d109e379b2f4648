import { describe, expect, it } from 'vitest'
import { startOpenTelemetry } from './open-telemetry.ts'

describe('startOpenTelemetry', () => {
  it('says which packages are to be installed, and starts nothing', async () => {
    const load = async (name: string) => (name.includes('sdk') ? undefined : {})
    await expect(startOpenTelemetry('/nowhere', {}, [], () => {}, load)).rejects.toThrow(
      /^telemetry\.openTelemetry needs packages .*: npm install @opentelemetry\/sdk-trace-base @opentelemetry\/sdk-metrics$/,
    )
  })
})
