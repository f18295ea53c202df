#include "archive/layout.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

using ::testing::HasSubstr;

constexpr const char* kManifestType = "application/vnd.oci.image.manifest.v1+json";
constexpr const char* kIndexType = "application/vnd.oci.image.index.v1+json";

class LayoutTest : public ::testing::Test {
 protected:
  ReadText reader() {
    return [this](const std::string& path) -> Result<std::string> {
      const auto found = files_.find(path);
      if (found == files_.end()) return fail(ErrorKind::kCorrupt, "{} is missing", path);
      return found->second;
    };
  }
  Result<std::vector<LayerPlan>> oci() { return oci_layers(reader(), "amd64"); }
  std::string oci_failure(ErrorKind kind = ErrorKind::kCorrupt) {
    const auto plan = oci();
    if (plan) return "no failure";
    EXPECT_EQ(plan.error().kind(), kind) << plan.error().message();
    return plan.error().message();
  }
  std::string docker_failure(const std::string& manifest, ErrorKind kind = ErrorKind::kCorrupt) {
    files_["manifest.json"] = manifest;
    const auto plan = docker_layers(reader());
    if (plan) return "no failure";
    EXPECT_EQ(plan.error().kind(), kind) << plan.error().message();
    return plan.error().message();
  }

  Json blob(const char* type, const std::string& bytes) {
    files_["blobs/sha256/" + sha256_hex(bytes)] = bytes;
    return Json::parse(descriptor_json(type, bytes));
  }
  // A manifest with one layer, which differs by `mark`.
  Json image(const std::string& mark) {
    const std::string layer = TarBuilder().file(mark, "").finish();
    blob("config", config_json({layer}));
    return blob(kManifestType, manifest_json({layer}));
  }
  Json for_platform(Json descriptor, const char* os, const char* architecture) {
    descriptor["platform"] = {{"os", os}, {"architecture", architecture}};
    return descriptor;
  }
  void index(const Json& manifests) {
    files_["oci-layout"] = R"({"imageLayoutVersion":"1.0.0"})";
    files_["index.json"] = Json{{"schemaVersion", 2}, {"manifests", manifests}}.dump();
  }

  std::map<std::string, std::string> files_;
};

TEST_F(LayoutTest, TheOnlyImageIsTakenWhateverItsMachine) {
  index(Json::array({for_platform(image("a"), "linux", "s390x")}));
  const auto plan = oci();
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->size(), 1);
  const std::string layer = TarBuilder().file("a", "").finish();
  EXPECT_EQ(plan->front().path, "blobs/sha256/" + sha256_hex(layer));
  EXPECT_EQ(plan->front().digest, sha256_hex(layer));
  EXPECT_EQ(plan->front().diff_id, sha256_hex(layer));
  EXPECT_EQ(plan->front().size, layer.size());
}

TEST_F(LayoutTest, OfSeveralThatForThisMachineIsTakenFromNestedIndexesToo) {
  Json attestation = for_platform(image("x"), "unknown", "unknown");
  attestation["annotations"] = {{"vnd.docker.reference.type", "attestation-manifest"}};
  const Json nested{{"manifests", Json::array({for_platform(image("a"), "linux", "arm64"),
                                               for_platform(image("b"), "linux", "amd64"), attestation})}};
  index(Json::array({blob(kIndexType, nested.dump())}));
  const auto plan = oci();
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->front().digest, sha256_hex(TarBuilder().file("b", "").finish()));
}

TEST_F(LayoutTest, WhenNoneOrSeveralFitTheyAreNamed) {
  index(Json::array({for_platform(image("a"), "linux", "arm64"), for_platform(image("b"), "windows", "amd64")}));
  EXPECT_THAT(oci_failure(ErrorKind::kUnsupported), HasSubstr("0 of them for linux/amd64: linux/arm64, windows/amd64"));
  index(Json::array({for_platform(image("a"), "linux", "amd64"), for_platform(image("b"), "linux", "amd64")}));
  EXPECT_THAT(oci_failure(ErrorKind::kUnsupported), HasSubstr("2 of them"));
  // The same image under two names is one.
  index(Json::array({image("a"), image("a")}));
  EXPECT_TRUE(oci());
}

TEST_F(LayoutTest, IndexesThatNestWithoutEndAreRefused) {
  Json inner = image("a");
  for (int i = 0; i < 6; ++i) inner = blob(kIndexType, Json{{"manifests", Json::array({inner})}}.dump());
  index(Json::array({inner}));
  EXPECT_THAT(oci_failure(), HasSubstr("nested too deep"));
}

TEST_F(LayoutTest, BrokenLayoutsSayWhatIsWrong) {
  EXPECT_THAT(oci_failure(), HasSubstr("oci-layout is missing"));
  index(Json::array());
  EXPECT_THAT(oci_failure(), HasSubstr("names no image"));
  files_["oci-layout"] = R"({"imageLayoutVersion":"2.0.0"})";
  EXPECT_THAT(oci_failure(ErrorKind::kUnsupported), HasSubstr("version 2.0.0"));
  index(Json::array({5}));
  EXPECT_THAT(oci_failure(), HasSubstr("descriptor"));
  index(Json::array({{{"digest", "sha256:../../etc/passwd"}}}));
  EXPECT_THAT(oci_failure(), HasSubstr("digest of a manifest is malformed"));
  index(Json::array({{{"digest", "sha256:" + std::string(64, 'a')}}}));
  EXPECT_THAT(oci_failure(), HasSubstr("is missing"));
  files_["index.json"] = "{";
  EXPECT_THAT(oci_failure(), HasSubstr("index.json: is not JSON"));
  files_["index.json"] = "[]";
  EXPECT_THAT(oci_failure(), HasSubstr("no list of manifests"));
  index(Json::array({blob(kManifestType, "{}")}));
  EXPECT_THAT(oci_failure(), HasSubstr("no manifest of an image"));
}

TEST_F(LayoutTest, DescriptionsHaveTheSizeThatWasPromised) {
  const auto larger = [](Json descriptor) {
    descriptor["size"] = descriptor["size"].get<std::uint64_t>() + 1;
    return descriptor;
  };
  index(Json::array({larger(image("a"))}));
  EXPECT_THAT(oci_failure(), HasSubstr("were promised"));
  const std::string nested = Json{{"manifests", Json::array({image("a")})}}.dump();
  index(Json::array({larger(blob(kIndexType, nested))}));
  EXPECT_THAT(oci_failure(), HasSubstr("were promised"));
  const std::string layer = TarBuilder().file("a", "").finish();
  Json manifest = Json::parse(manifest_json({layer}));
  manifest["config"] = larger(manifest["config"]);
  index(Json::array({blob(kManifestType, manifest.dump())}));
  EXPECT_THAT(oci_failure(), HasSubstr("were promised"));
}

TEST_F(LayoutTest, AnImageOfNothingIsWrittenAsDockerDoes) {
  files_["manifest.json"] = R"([{"Config":"c.json","Layers":null}])";
  for (const char* config : {R"({"rootfs":{"type":"layers"}})", R"({"rootfs":{"type":"layers","diff_ids":null}})",
                             R"({"rootfs":{"type":"layers","diff_ids":[]}})"}) {
    files_["c.json"] = config;
    const auto plan = docker_layers(reader());
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_TRUE(plan->empty());
  }
  files_["c.json"] = config_json({TarBuilder().finish()});
  EXPECT_THAT(docker_failure(files_["manifest.json"]), HasSubstr("has 1 diff_ids for 0 layers"));
  EXPECT_THAT(docker_failure(R"([{"Config":"c.json"}])"), HasSubstr("no Layers"));
  EXPECT_THAT(docker_failure(R"([{"Config":"c.json","Layers":{}}])"), HasSubstr("no Layers"));
}

TEST_F(LayoutTest, ForeignAndEncryptedLayersAreRefusedByName) {
  const auto with_type = [&](const char* type) {
    const std::string layer = TarBuilder().finish();
    Json manifest = Json::parse(manifest_json({layer}));
    manifest["layers"][0]["mediaType"] = type;
    blob("config", config_json({layer}));
    index(Json::array({blob(kManifestType, manifest.dump())}));
  };
  with_type("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip");
  EXPECT_THAT(oci_failure(ErrorKind::kUnsupported), HasSubstr("foreign"));
  with_type("application/vnd.oci.image.layer.v1.tar+gzip+encrypted");
  EXPECT_THAT(oci_failure(ErrorKind::kUnsupported), HasSubstr("encrypted"));
}

TEST_F(LayoutTest, BrokenDockerArchivesSayWhatIsWrong) {
  const std::string layer = TarBuilder().finish();
  files_["c.json"] = config_json({layer});
  EXPECT_THAT(docker_failure("{}"), HasSubstr("no list of images"));
  EXPECT_THAT(docker_failure("[]"), HasSubstr("no list of images"));
  EXPECT_THAT(docker_failure("[5]"), HasSubstr("no Config or no Layers"));
  EXPECT_THAT(docker_failure(R"([{"Config":"c.json","Layers":[5]}])"), HasSubstr("a layer is no text"));
  EXPECT_THAT(docker_failure(R"([{"Config":"d.json","Layers":[]}])"), HasSubstr("d.json is missing"));
  EXPECT_THAT(docker_failure(R"([{"Config":"c.json","Layers":[]}])"), HasSubstr("has 1 diff_ids for 0 layers"));
  EXPECT_THAT(docker_failure(R"([{"Config":"a","RepoTags":["x:1"],"Layers":[]},{"Config":"b","Layers":[]}])",
                             ErrorKind::kUnsupported),
              HasSubstr("2 images: x:1, b"));
  files_["c.json"] = R"({"rootfs":{"diff_ids":["md5:1"]}})";
  EXPECT_THAT(docker_failure(R"([{"Config":"c.json","Layers":["l"]}])"), HasSubstr("malformed"));
  files_["c.json"] = "{}";
  EXPECT_THAT(docker_failure(R"([{"Config":"c.json","Layers":["l"]}])", ErrorKind::kUnsupported),
              HasSubstr("no configuration"));
}

}  // namespace
}  // namespace slipway::archive
