#!/usr/bin/env bash
# FETCH of tree.sh for S3: prints an object. Its name is one argument, whatever is in it.
exec aws s3 cp --only-show-errors -- "s3://${BUCKET:?}/$1" -
