#pragma once

// C3: call-chain clustering, after "Optimizing Function Placement for Large-Scale Data-Center
// Applications" (Ottoni and Maher, CGO 2017), known as hfsort.
//
//   std::vector<u32> order = order::call_clusters(model, {});
//
// Functions are looked at from the hottest downwards; each is appended, with what already follows
// it, to the cluster of the function that calls it most, so that callers stand in front of their
// callees and near. Clusters are placed by density: samples per byte. Functions that neither call
// nor are called nor have samples are left out.

#include "order/model.h"

namespace pgokit::order {

struct ClusterLimits {
  u64 size = 1 << 20;      // of a cluster, in bytes
  u64 callers_share = 10;  // a caller with less than 1/10 of a function's calls is not followed
  u64 dilution = 8;  // a cluster may not get thinner than 1/8 of its density by what it takes in
};

std::vector<u32> call_clusters(const Model& model, const ClusterLimits& limits);

}  // namespace pgokit::order
