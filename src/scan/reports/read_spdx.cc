#include <string>
#include <utility>

#include "scan/reports/json_fields.h"
#include "scan/reports/sbom_readers.h"
#include "scan/reports/spdx_document.h"

namespace slipway::scan {
namespace {

std::string url_from(const Json& package) {
  for (const auto& reference : list_field(package, "externalRefs")) {
    if (text_field(reference, "referenceType") == "purl") return text_field(reference, "referenceLocator");
  }
  return {};
}

SpdxPackage package_from(const Json& json) {
  SpdxPackage package{.id = text_field(json, "SPDXID"),
                      .name = text_field(json, "name"),
                      .version = text_field(json, "versionInfo"),
                      .url = url_from(json),
                      .declared = text_field(json, "licenseDeclared"),
                      .concluded = text_field(json, "licenseConcluded"),
                      .source_info = text_field(json, "sourceInfo"),
                      .purpose = text_field(json, "primaryPackagePurpose"),
                      .notes = {}};
  for (const auto& text : list_field(json, "attributionTexts")) {
    if (text.is_string()) package.notes.push_back(text.get<std::string>());
  }
  for (const auto& annotation : list_field(json, "annotations")) {
    package.notes.push_back(text_field(annotation, "comment"));
  }
  return package;
}

}  // namespace

Result<Inventory> read_spdx(const Json& document) {
  SpdxDocument read;
  read.version = text_field(document, "spdxVersion");
  const Json& packages = field(document, "packages");
  if (!packages.is_null() && !packages.is_array()) {
    return fail(ErrorKind::kCorrupt, "the packages of an SPDX document are not a list");
  }
  for (const auto& package : list_field(document, "packages")) read.packages.push_back(package_from(package));
  for (const auto& relationship : list_field(document, "relationships")) {
    read.relationships.push_back({.from = text_field(relationship, "spdxElementId"),
                                  .how = text_field(relationship, "relationshipType"),
                                  .to = text_field(relationship, "relatedSpdxElement")});
  }
  for (const auto& described : list_field(document, "documentDescribes")) {
    if (described.is_string()) read.relationships.push_back({"SPDXRef-DOCUMENT", "DESCRIBES", described});
  }
  for (const auto& licence : list_field(document, "hasExtractedLicensingInfos")) {
    const auto& name = text_field(licence, "name");
    read.licences.emplace(text_field(licence, "licenseId"),
                          name.empty() || name == "NOASSERTION" ? text_field(licence, "extractedText") : name);
  }
  return inventory_of(read);
}

}  // namespace slipway::scan
