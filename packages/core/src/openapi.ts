export { type OpenApiDocument, type OpenApiOptions, openApi, openApiDocument } from './openapi/open-api.ts'
