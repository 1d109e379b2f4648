/** The description of a gateway in OpenAPI 3.1. */
export type { Endpoint } from './gateway/with-endpoints.ts'
export { type OpenApiDocument, type OpenApiOptions, openApi, openApiDocument } from './openapi/open-api.ts'
