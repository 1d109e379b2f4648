import { waitForUpdate } from '@pydantic/genai-prices'

/** Returns what the installed version of @pydantic/genai-prices knows of prices, as JSON by provider. */
export async function reducedTable(): Promise<Readonly<Record<string, string>>> {
  const providers = (await waitForUpdate()) ?? []
  return Object.fromEntries(
    providers.map(({ id, fallback_model_providers, models }) => [
      id,
      JSON.stringify({
        fallback_model_providers,
        models: models.map(({ id, match, prices }) => ({ id, match, prices })),
      }),
    ]),
  )
}
